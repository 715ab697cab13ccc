"""One SQLite file: one writer that commits whatever waits, readers beside it."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeVar, cast

import aiosqlite

from companion.clock import Clock, SystemClock
from companion.errors import DatabaseError
from companion.storage.backup import require_file
from companion.storage.connection import PATIENCE, SqlError, Tx, connect, in_words, keep_safe
from companion.storage.migrate import check_version, migrate

__all__ = ["Database", "Tx"]

T = TypeVar("T")

Opened = tuple[Tx | None, list[Tx]]
"""The writer, unless only to read, and the readers."""

READERS = 2

PATIENT = timedelta(milliseconds=5)
"""How long a write that nobody waits for looks out for a commit to join."""


@dataclass(slots=True, eq=False)
class _Unit:
    """A function to run in a transaction, and who waits for it."""

    work: Callable[[Tx], Any]
    done: asyncio.Future[Any]
    value: Any = None
    error: BaseException | None = None

    def fail(self, error: BaseException, path: Path) -> None:
        """Give `error` to who waits, in words where the operator can do something about it."""
        shown: BaseException | None = in_words(error, path)
        if isinstance(error, StopIteration):  # a future takes none, as with generators (PEP 479)
            shown = RuntimeError("the work raised StopIteration")
        if shown:
            shown.__cause__ = error
        self.error = shown or error

    def deliver(self) -> None:
        """Tell who waits. Runs in the event loop."""
        if self.done.done():
            return
        if self.error is None:
            self.done.set_result(self.value)
        else:
            self.done.set_exception(self.error)


class _Connection(aiosqlite.Connection):
    """A connection and the thread that alone uses it.

    aiosqlite's own methods run one statement a hop, so that tasks would join each other's
    transactions, and a cancelled one would leave its own open: here a whole transaction is one
    function in the connection's thread (aiosqlite is pinned, for this goes below its methods).
    """

    def __init__(self, opened: Tx) -> None:
        super().__init__(lambda: opened, iter_chunk_size=64)
        self._thread.daemon = True

    def soon(self, work: Callable[[], None]) -> None:
        """Run `work` in the connection's thread, after what was given before."""
        self._tx.put_nowait((None, work))


class Database:
    """Runs functions inside transactions.

    `write` is all or nothing, and durable once it returns. Writes that wait at the same time
    share one commit, each inside its own savepoint, so one that fails takes no other with it.

    A connection lives in a thread of its own, so that whatever a cancelled caller had begun
    there ends there: a write is done or never begun, and a reader serves nobody else meanwhile.
    """

    def __init__(self, path: Path, writer: Tx | None, readers: list[Tx]) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._called = False
        """Whether the writer has been called and has not looked yet."""
        self._ending: asyncio.Future[None] | None = None
        self.written = asyncio.Event()
        """Set after every commit. Whoever waits for it clears it."""
        self._writes: SimpleQueue[_Unit] = SimpleQueue()
        self._reads: SimpleQueue[_Unit] = SimpleQueue()
        self._writing = writer
        self._writer = (
            (_Connection(writer), partial(self._commit_what_waits, writer)) if writer else None
        )
        self._readers = [(_Connection(tx), partial(self._read_what_waits, tx)) for tx in readers]

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        key: str | None = None,
        read_only: bool = False,
        as_it_is: bool = False,
        patience: timedelta = PATIENCE,
        clock: Clock | None = None,
    ) -> Self:
        """The database at `path`, made or migrated as needed; with `read_only` only looked at.

        `as_it_is` is for writing beside a companion that runs: nothing is made or migrated then.
        `patience` is how long to wait for another program that holds it.

        Raises:
            DatabaseTooNewError: a newer version of the program wrote it.
            WrongKeyError: `key` does not open it.
            DatabaseError: it cannot be opened, or a migration failed.
        """

        if read_only:
            connections = asyncio.to_thread(_open_to_read, path, key, patience)
        else:
            connections = asyncio.to_thread(
                _open_to_write, path, key, patience, clock or SystemClock(), as_it_is
            )
        opening = asyncio.ensure_future(connections)
        try:
            writer, readers = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unused)
            await asyncio.wait([opening])
            raise
        database = cls(path, writer, readers)
        for connection in database._connections():
            await connection
        return database

    async def write(self, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        """What `work` returns, after what it did is on disk.

        With `patient` it joins the next commit, and waits a moment for one: what nobody waits for
        need not cost a commit of its own.

        `work` runs in the writer's thread, inside a transaction that it must not end itself, and
        must not wait for anything but the database. A caller that is cancelled leaves all of it
        done or nothing.

        Raises:
            DatabaseError: the disk is full or broken, or the database is locked or closed;
                nothing of `work` is stored.
        """
        if self._closed or self._writer is None:
            state = "closed" if self._closed else "open for reading only"
            raise DatabaseError(f"{self._path} is {state}: nothing can be written.")
        unit = _Unit(work, self._loop.create_future())
        self._writes.put(unit)
        if patient:
            self._loop.call_later(PATIENT.total_seconds(), self._commit_what_is_left)
        else:
            self._commit_soon()
        return cast(T, await unit.done)

    async def read(self, query: Callable[[Tx], T]) -> T:
        """What `query` returns, all of it from one state of the database.

        Raises:
            DatabaseError: the database is closed, damaged or cannot be read.
        """
        if self._closed:
            raise DatabaseError(f"{self._path} is closed: nothing can be read.")
        unit = _Unit(query, self._loop.create_future())
        self._reads.put(unit)
        for connection, read in self._readers:  # whichever is free takes it
            connection.soon(read)
        return cast(T, await unit.done)

    async def truncate_log(self) -> bool:
        """Bring all commits into the database's file and empty its log, where pages lie as they
        were before. False when somebody still reads from the log.

        Raises:
            DatabaseError: the database is closed, or cannot be written.
        """
        if self._closed or self._writer is None:
            raise DatabaseError(f"{self._path} is closed: nothing can be written.")
        unit = _Unit(_truncate_log, self._loop.create_future())
        connection, _ = self._writer
        connection.soon(partial(self._run_alone, cast(Tx, self._writing), unit))
        return cast(bool, await unit.done)

    async def close(self) -> None:
        """Finish what waits, then close. Closing twice does no harm."""
        if self._ending is None:
            self._commit_soon()
            self._closed = True
            self._ending = asyncio.ensure_future(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        for connection in self._connections():
            await connection.close()

    def _commit_soon(self) -> None:
        if self._writer is not None and not self._closed and not self._called:
            self._called = True
            connection, commit = self._writer
            connection.soon(commit)

    def _commit_what_is_left(self) -> None:
        if not self._writes.empty():
            self._commit_soon()

    def _connections(self) -> list[_Connection]:
        pairs = [*self._readers, self._writer] if self._writer else self._readers
        return [connection for connection, _ in pairs]

    def _read_what_waits(self, tx: Tx) -> None:
        """Run one query after the other. In a reader's thread."""
        while unit := _next(self._reads):
            if unit.done.cancelled():
                continue
            try:
                _query(tx, self._path, unit)
            except BaseException as error:  # noqa: BLE001 - the waiter hears of it
                unit.error = error
            self._call(_deliver, [unit])

    def _commit_what_waits(self, tx: Tx) -> None:
        """Run all that waits in one transaction. In the writer's thread."""
        self._called = False  # before looking: what comes later calls again
        units = []
        while unit := _next(self._writes):
            if not unit.done.cancelled():
                units.append(unit)
        if not units:
            return
        try:
            _commit(tx, self._path, units)
        except BaseException as error:  # noqa: BLE001 - the waiters hear of it
            for unit in units:
                unit.error = error
        self._call(self._committed, units)

    def _run_alone(self, tx: Tx, unit: _Unit) -> None:
        """Run `unit` outside of a transaction. In the writer's thread."""
        try:
            unit.value = unit.work(tx)
        except BaseException as error:  # noqa: BLE001 - the waiter hears of it
            unit.fail(error, self._path)
        self._call(_deliver, [unit])

    def _committed(self, units: list[_Unit]) -> None:
        self.written.set()
        _deliver(units)

    def _call(self, what: Callable[..., None], *arguments: object) -> None:
        """Have the event loop call `what`, if it still runs."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *arguments)


def _next(waiting: SimpleQueue[_Unit]) -> _Unit | None:
    try:
        return waiting.get_nowait()
    except Empty:
        return None


def _open_to_write(
    path: Path, key: str | None, patience: timedelta, clock: Clock, as_it_is: bool
) -> Opened:
    if as_it_is:
        require_file(path)
    with ExitStack() as on_error:
        writer = connect(path, key, patience=patience)
        on_error.callback(writer.close)
        try:
            check_version(writer, path, read_only=as_it_is)
            keep_safe(writer, path)
            if not as_it_is:
                migrate(writer, path, key=key, clock=clock)
        except SqlError as error:
            raise in_words(error, path) or error from error
        readers = _readers(path, key, patience, on_error)
        on_error.pop_all()
    return writer, readers


def _open_to_read(path: Path, key: str | None, patience: timedelta) -> Opened:
    require_file(path)
    with ExitStack() as on_error:
        readers = _readers(path, key, patience, on_error)
        check_version(readers[0], path, read_only=True)
        on_error.pop_all()
    return None, readers


def _readers(path: Path, key: str | None, patience: timedelta, on_error: ExitStack) -> list[Tx]:
    readers: list[Tx] = []
    for _ in range(READERS):
        readers.append(connect(path, key, patience=patience, read_only=True))
        on_error.callback(readers[-1].close)
    return readers


def _close_unused(opening: asyncio.Future[Opened]) -> None:
    """Close what was opened for a caller that was cancelled meanwhile."""
    if not opening.cancelled() and opening.exception() is None:
        writer, readers = opening.result()
        for connection in [writer, *readers]:
            if connection:
                connection.close()


def _query(tx: Tx, path: Path, unit: _Unit) -> None:
    """Run `unit` on one state of the database."""
    try:
        tx.execute("BEGIN")
        unit.value = unit.work(tx)
    except BaseException as error:  # noqa: BLE001 - the reader that waits gets it
        unit.fail(error, path)
    finally:
        _roll_back(tx)


def _commit(tx: Tx, path: Path, units: list[_Unit]) -> None:
    """Run `units` in one transaction; each then has its value or its error."""
    try:
        _roll_back(tx)  # a rollback after an error of the disk may have failed as well
        tx.execute("BEGIN IMMEDIATE")
        if len(units) == 1:  # a savepoint would protect nobody
            units[0].value = units[0].work(tx)
            _require_transaction(tx)
        else:
            for unit in units:
                _run_in_savepoint(tx, unit, path)
        tx.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001 - the writers that wait get it
        for unit in units:
            unit.fail(error, path)
        with suppress(SqlError):
            _roll_back(tx)


def _run_in_savepoint(tx: Tx, unit: _Unit, path: Path) -> None:
    """Run `unit`. What it raises is its own, unless it cost the others their transaction."""
    tx.execute("SAVEPOINT unit")
    try:
        unit.value = unit.work(tx)
    except BaseException as error:
        if not tx.in_transaction:  # SQLite rolled all of it back: the disk is full or broken
            raise
        unit.fail(error, path)
        tx.execute("ROLLBACK TO unit")
    _require_transaction(tx)
    tx.execute("RELEASE unit")


def _truncate_log(tx: Tx) -> bool:
    busy, _, _ = tx.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _require_transaction(tx: Tx) -> None:
    if not tx.in_transaction:
        raise DatabaseError(
            "A write ended its own transaction, or hid an error that did. None of it is stored."
        )


def _roll_back(tx: Tx) -> None:
    if tx.in_transaction:
        tx.execute("ROLLBACK")


def _deliver(units: list[_Unit]) -> None:
    for unit in units:
        unit.deliver()
