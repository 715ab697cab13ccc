"""One SQLite file: one writer that commits whatever waits, readers beside it."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import aiosqlite
import sqlite_vec
from sqlcipher3 import dbapi2 as sqlcipher

from companion.storage.migrate import migrate

logger = logging.getLogger(__name__)

T = TypeVar("T")
Tx = sqlite3.Connection
"""A connection inside a transaction. sqlcipher3's has the same methods and no stubs."""

READERS = 2


class _Connection(aiosqlite.Connection):
    """A connection that runs a whole function in its thread, so a transaction is one hop."""

    async def run(self, work: Callable[[Tx], T]) -> T:
        return cast(T, await self._execute(work, self._conn))  # type: ignore[no-untyped-call]


@dataclass(slots=True)
class _Unit:
    work: Callable[[Tx], Any]
    done: asyncio.Future[Any]


class Database:
    """Runs functions inside transactions.

    `write` is all or nothing, and durable once it returns. Writes that wait at the same time
    share one commit, each inside its own savepoint, so one that fails takes no other with it.
    """

    def __init__(self, writer: _Connection, readers: list[_Connection]) -> None:
        self._writer = writer
        self._readers: asyncio.Queue[_Connection] = asyncio.Queue()
        self._all_readers = readers
        for reader in readers:
            self._readers.put_nowait(reader)
        self._waiting: list[_Unit] = []
        self._wake = asyncio.Event()
        self._task = asyncio.create_task(self._commit_whatever_waits())

    @classmethod
    async def open(cls, path: Path, *, key: str | None = None) -> Self:
        """The database at `path`, made or migrated as needed.

        Raises:
            DatabaseTooNewError: a newer version of the program wrote it.
            WrongKeyError: `key` does not open it.
        """
        writer = await _connect(path, key)
        await writer.run(lambda tx: migrate(tx, path))
        readers = [await _connect(path, key, read_only=True) for _ in range(READERS)]
        return cls(writer, readers)

    async def write(self, work: Callable[[Tx], T]) -> T:
        """What `work` returns, after what it did is on disk.

        `work` runs in the writer's thread and must not wait for anything but the database.
        """
        unit = _Unit(work, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        self._wake.set()
        return cast(T, await unit.done)

    async def read(self, query: Callable[[Tx], T]) -> T:
        """What `query` returns, from one state of the database."""
        reader = await self._readers.get()
        try:
            return await reader.run(lambda tx: _in_read_transaction(tx, query))
        finally:
            self._readers.put_nowait(reader)

    async def close(self) -> None:
        """Commit what waits, then close."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._waiting:
            await self._commit(self._take())
        for connection in (*self._all_readers, self._writer):
            await connection.close()

    def _take(self) -> list[_Unit]:
        units, self._waiting = self._waiting, []
        self._wake.clear()
        return [unit for unit in units if not unit.done.cancelled()]

    async def _commit_whatever_waits(self) -> None:
        while True:
            await self._wake.wait()
            await self._commit(self._take())

    async def _commit(self, units: list[_Unit]) -> None:
        if not units:
            return
        outcomes = await asyncio.shield(
            asyncio.ensure_future(self._writer.run(lambda tx: _run_all(tx, units)))
        )
        for unit, (value, error) in zip(units, outcomes, strict=True):
            if unit.done.done():
                continue
            if error is None:
                unit.done.set_result(value)
            else:
                unit.done.set_exception(error)


def _run_all(tx: Tx, units: list[_Unit]) -> list[tuple[Any, Exception | None]]:
    outcomes: list[tuple[Any, Exception | None]] = []
    try:
        tx.execute("BEGIN IMMEDIATE")
        for unit in units:
            outcomes.append(_in_savepoint(tx, unit.work))
        tx.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - each waiting writer gets it
        if tx.in_transaction:
            tx.execute("ROLLBACK")
        return [(None, error)] * len(units)
    return outcomes


def _in_savepoint(tx: Tx, work: Callable[[Tx], Any]) -> tuple[Any, Exception | None]:
    tx.execute("SAVEPOINT unit")
    try:
        value = work(tx)
    except Exception as error:  # noqa: BLE001 - handed to the writer that waits for it
        tx.execute("ROLLBACK TO unit")
        tx.execute("RELEASE unit")
        return None, error
    tx.execute("RELEASE unit")
    return value, None


def _in_read_transaction(tx: Tx, query: Callable[[Tx], T]) -> T:
    tx.execute("BEGIN")
    try:
        return query(tx)
    finally:
        tx.execute("COMMIT")


async def _connect(path: Path, key: str | None, *, read_only: bool = False) -> _Connection:
    def connector() -> sqlite3.Connection:
        connection = sqlcipher.connect(str(path), isolation_level=None, check_same_thread=False)
        if key:
            connection.set_key(key.encode())
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.enable_load_extension(False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA busy_timeout = 5000")
        connection.execute("PRAGMA secure_delete = ON")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        return cast(sqlite3.Connection, connection)

    connection = _Connection(connector, iter_chunk_size=64)
    await connection
    return connection
