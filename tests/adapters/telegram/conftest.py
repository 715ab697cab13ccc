"""A Bot API server for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.support.bot_api import BotApi


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest.fixture(autouse=True)
def lengths_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the adapter sets when it connects."""
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
