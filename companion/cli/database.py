"""The database, looked at from beside a companion that may be running."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.home import Home
    from companion.storage.database import Database


@asynccontextmanager
async def looked_at(home: Home, environ: Mapping[str, str]) -> AsyncIterator[Database]:
    """The database of `home`, to be read only. No lock is needed.

    Raises:
        OperatorError: there is none yet, or it cannot be opened.
    """
    from companion.storage.database import Database

    if not home.database.is_file():
        raise OperatorError(f"There is nothing in {home.path} yet: `companion chat` starts it.")
    key = environ.get("COMPANION_DB_KEY") or None
    database = await Database.open(home.database, key=key, read_only=True)
    try:
        yield database
    finally:
        await database.close()
