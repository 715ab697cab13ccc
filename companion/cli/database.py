"""The database, from beside a companion that may be running."""

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
    async with _opened(home, environ, to_write=False) as database:
        yield database


@asynccontextmanager
async def changed(home: Home, environ: Mapping[str, str]) -> AsyncIterator[Database]:
    """The database of `home`, for a small change beside a companion that may be running.

    No lock of the home is needed: SQLite lets one program write at a time, for moments, and the
    companion reads anew what such commands change.

    Raises:
        OperatorError: there is none yet, it is of another version, or it cannot be opened.
    """
    async with _opened(home, environ, to_write=True) as database:
        yield database


@asynccontextmanager
async def _opened(
    home: Home, environ: Mapping[str, str], *, to_write: bool
) -> AsyncIterator[Database]:
    from companion.storage.database import Database

    if not home.database.is_file():
        raise OperatorError(f"There is nothing in {home.path} yet: `companion chat` starts it.")
    key = environ.get("COMPANION_DB_KEY") or None
    database = await Database.open(
        home.database, key=key, read_only=not to_write, as_it_is=to_write
    )
    try:
        yield database
    finally:
        await database.close()
