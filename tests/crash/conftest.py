"""What all crash tests share, since it takes seconds to make."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.crash.lives import Nurseries, nurseries
from tests.crash.sweep import Undisturbed

AT_ONCE = 2


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pool() -> AsyncIterator[Nurseries]:
    """Processes to fork from."""
    async with nurseries(AT_ONCE) as made:
        yield made


@pytest.fixture(scope="session")
def undisturbed(pool: Nurseries, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Lives to compare with."""
    return Undisturbed(pool, tmp_path_factory.mktemp("undisturbed"))
