"""The writer and the readers, against real files."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError
from companion.storage.database import READERS, Database, Tx
from tests.support import folders
from tests.support.storage import add, begin, hold, names


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "companion.db")
    yield database
    await database.close()


def number_of_commits(db: Database, path: Path) -> int:
    """How many frames with the mark of a commit the write-ahead log holds."""
    log = path.with_name(path.name + "-wal").read_bytes()
    frames = range(32, len(log), 24 + 4096)
    return sum(log[frame + 4 : frame + 8] != b"\0\0\0\0" for frame in frames)


async def test_what_a_write_did_is_read_by_others_once_it_returns(db: Database) -> None:
    assert await db.write(add("Ada")) == 1
    assert await db.read(names) == ["Ada"]


async def test_a_failed_write_leaves_nothing(db: Database) -> None:
    def half(tx: Tx) -> None:
        add("Ada")(tx)
        raise KeyError("no")

    with pytest.raises(KeyError):
        await db.write(half)
    assert await db.read(names) == []


async def test_writes_that_wait_together_share_one_commit(db: Database, tmp_path: Path) -> None:
    await db.write(lambda tx: tx.execute("SELECT 1"))
    holder, release = await hold(db)
    before = number_of_commits(db, tmp_path / "companion.db")
    tasks = await begin(*(db.write(add(f"p{n}")) for n in range(50)))
    release.set()
    await asyncio.gather(holder, *tasks)
    assert number_of_commits(db, tmp_path / "companion.db") == before + 1
    assert await db.read(names) == [f"p{n}" for n in range(50)]


async def test_a_patient_write_joins_the_next_commit(db: Database, tmp_path: Path) -> None:
    await db.write(lambda tx: tx.execute("SELECT 1"))
    before = number_of_commits(db, tmp_path / "companion.db")
    patient = asyncio.create_task(db.write(add("patient"), patient=True))
    await asyncio.sleep(0)
    await db.write(add("next"))
    assert await patient == 1
    assert number_of_commits(db, tmp_path / "companion.db") == before + 1
    assert await db.read(names) == ["patient", "next"]


async def test_a_patient_write_that_nobody_follows_is_done_by_itself(db: Database) -> None:
    assert await db.write(add("alone"), patient=True) == 1
    assert await db.read(names) == ["alone"]


async def test_closing_does_what_waits_patiently(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    patient = asyncio.create_task(db.write(add("patient"), patient=True))
    await asyncio.sleep(0)
    await db.close()
    assert await patient == 1


async def test_who_waits_for_writes_is_told_of_each_commit(db: Database) -> None:
    db.written.clear()
    await db.read(names)
    assert not db.written.is_set()
    await db.write(add("Ada"))
    assert db.written.is_set()


async def test_a_failing_write_takes_no_other_of_its_commit_along(db: Database) -> None:
    def breaks_a_rule(tx: Tx) -> None:
        add("half done")(tx)
        tx.execute("INSERT INTO person (id, name, created_at) VALUES (1, 'twice', '')")

    await db.write(add("first"))
    holder, release = await hold(db)
    tasks = await begin(db.write(add("before")), db.write(breaks_a_rule), db.write(add("after")))
    release.set()
    await holder
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(outcomes[1], sqlcipher.IntegrityError)
    assert await db.read(names) == ["first", "before", "after"]


@pytest.mark.parametrize("error", [StopIteration(), GeneratorExit(), RecursionError()])
async def test_every_kind_of_error_reaches_the_one_who_waits(
    db: Database, error: BaseException
) -> None:
    def fail(tx: Tx) -> None:
        raise error

    with pytest.raises(BaseException) as raised:  # noqa: PT011 - three kinds
        await db.write(fail)
    assert error in (raised.value, raised.value.__cause__)
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - three kinds
        await db.read(fail)
    assert error in (raised.value, raised.value.__cause__)
    await db.write(add("Ada"))
    assert await db.read(names) == ["Ada"]


class Unreadable(Exception):  # noqa: N818
    """An error that breaks whoever looks at it."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("do not look")


async def test_even_what_breaks_the_writer_reaches_those_who_wait_and_it_goes_on(
    db: Database,
) -> None:
    def fail(tx: Tx) -> None:
        raise Unreadable

    holder, release = await hold(db)
    tasks = await begin(db.write(add("with it")), db.write(fail), db.read(fail))
    release.set()
    await holder
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [RuntimeError] * 3
    await db.write(add("after"))
    assert await db.read(names) == ["after"]


async def test_a_write_that_is_cancelled_before_its_turn_is_never_begun(db: Database) -> None:
    holder, release = await hold(db)
    waiting, other = await begin(db.write(add("cancelled")), db.write(add("other")))
    waiting.cancel()
    release.set()
    await asyncio.gather(holder, other)
    assert waiting.cancelled()
    assert await db.read(names) == ["other"]


async def test_a_write_that_is_cancelled_as_it_runs_is_done_whole(db: Database) -> None:
    begun, release = threading.Event(), threading.Event()

    def two(tx: Tx) -> None:
        add("first half")(tx)
        begun.set()
        assert release.wait(10)
        add("second half")(tx)

    task = asyncio.create_task(db.write(two))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    await db.write(add("next"))
    assert await db.read(names) == ["first half", "second half", "next"]


async def test_a_write_cancelled_at_any_moment_is_done_or_not_begun(db: Database) -> None:
    def pair(number: int) -> Callable[[Tx], None]:
        def work(tx: Tx) -> None:
            add(f"{number} left")(tx)
            add(f"{number} right")(tx)

        return work

    for number in range(200):
        task = asyncio.create_task(db.write(pair(number)))
        for _ in range(number % 40):  # from before its first step to after its last
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await db.write(add("end"))
    stored = await db.read(names)
    lefts = [name.split()[0] for name in stored if name.endswith("left")]
    rights = [name.split()[0] for name in stored if name.endswith("right")]
    assert lefts == rights
    assert stored[-1] == "end"


async def test_a_write_that_ends_its_own_transaction_is_refused(db: Database) -> None:
    holder, release = await hold(db)
    tasks = await begin(
        db.write(add("other")), db.write(lambda tx: tx.execute("ROLLBACK")), db.write(add("third"))
    )
    release.set()
    await holder
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, DatabaseError) for outcome in outcomes)
    with pytest.raises(DatabaseError, match="ended its own transaction"):
        await db.write(lambda tx: tx.execute("ROLLBACK"))
    assert await db.read(names) == []
    await db.write(add("goes on"))
    assert await db.read(names) == ["goes on"]


async def test_a_read_sees_one_state_of_the_database(db: Database) -> None:
    seen, go_on = threading.Event(), threading.Event()

    def twice(tx: Tx) -> tuple[list[str], list[str]]:
        before = names(tx)
        seen.set()
        assert go_on.wait(10)
        return before, names(tx)

    await db.write(add("Ada"))
    reading = asyncio.create_task(db.read(twice))
    await asyncio.to_thread(seen.wait, 10)
    await db.write(add("Bob"))
    go_on.set()
    assert await reading == (["Ada"], ["Ada"])
    assert await db.read(names) == ["Ada", "Bob"]


async def test_a_reader_cannot_write(db: Database) -> None:
    with pytest.raises(DatabaseError, match="cannot be written"):
        await db.read(add("Ada"))


async def test_a_cancelled_read_keeps_its_connection_until_its_query_ends(db: Database) -> None:
    begun, release = threading.Semaphore(0), threading.Event()
    connections: list[Tx] = []

    def slow(tx: Tx) -> None:
        connections.append(tx)
        begun.release()
        assert release.wait(10)

    slow_reads = [asyncio.create_task(db.read(slow)) for _ in range(READERS)]
    for _ in slow_reads:
        await asyncio.to_thread(begun.acquire)
    (waiting, dropped) = await begin(db.read(names), db.read(slow))
    for task in [*slow_reads, dropped]:
        task.cancel()
    await asyncio.gather(*slow_reads, dropped, return_exceptions=True)
    assert len(set(connections)) == READERS
    assert not waiting.done()  # both readers are still in use
    release.set()
    assert await waiting == []
    assert len(connections) == READERS  # the cancelled one in the queue never ran
    assert await asyncio.gather(*(db.read(names) for _ in range(20))) == [[]] * 20


async def test_closing_finishes_what_waits_and_refuses_what_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    db = await Database.open(path)
    holder, release = await hold(db)
    tasks = await begin(db.write(add("waits")), db.read(names))
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0)
    with pytest.raises(DatabaseError, match="is closed: nothing can be written"):
        await db.write(add("too late"))
    with pytest.raises(DatabaseError, match="is closed: nothing can be read"):
        await db.read(names)
    release.set()
    await asyncio.gather(holder, *tasks, closing)
    await db.close()
    assert folders.names(tmp_path) == ["companion.db"]

    db = await Database.open(path)
    assert await db.read(names) == ["waits"]
    await db.close()


async def test_a_cancelled_close_still_closes(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    holder, release = await hold(db)
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    release.set()
    await holder
    await db.close()
    assert folders.names(tmp_path) == ["companion.db"]


async def test_a_cancelled_open_leaves_no_connection(tmp_path: Path) -> None:
    for turns in range(5):
        path = tmp_path / f"{turns}.db"
        opening = asyncio.create_task(Database.open(path))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        db = await Database.open(path)
        await db.write(add("Ada"))
        await db.close()
        assert not path.with_name(f"{turns}.db-wal").exists()


async def test_every_connection_is_set_up_to_keep_what_it_stores(db: Database) -> None:
    def settings(tx: Tx) -> dict[str, object]:
        names = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "secure_delete"]
        names += ["cache_size", "wal_autocheckpoint", "query_only"]
        return {name: tx.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "secure_delete": 1,
        "cache_size": -4096,
        "wal_autocheckpoint": 1000,
    }
    assert await db.write(settings) == {**expected, "query_only": 0}
    assert await db.read(settings) == {**expected, "query_only": 1}
