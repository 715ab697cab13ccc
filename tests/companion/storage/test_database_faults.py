"""A disk that is full, broken or read-only, and a database that another program holds."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError
from companion.storage.database import Database, Tx
from tests.support.storage import add, begin, hold, names

SHORT = timedelta(milliseconds=50)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "companion.db"


@pytest.fixture
async def db(path: Path) -> AsyncIterator[Database]:
    database = await Database.open(path, patience=SHORT)
    yield database
    await database.close()


def grow_by(pages: int | None) -> Callable[[Tx], None]:
    """Let the database grow by so many pages; None: as it likes."""

    def work(tx: Tx) -> None:
        (now,) = tx.execute("PRAGMA page_count").fetchone()
        tx.execute(f"PRAGMA max_page_count = {now + pages if pages is not None else 1 << 30}")

    return work


def add_large(tx: Tx) -> None:
    add("x" * 100_000)(tx)


@contextmanager
def locked_by_another_process(path: Path) -> Iterator[None]:
    """Another program holds the database for writing."""
    hold = f"""
import sys
from sqlcipher3 import dbapi2
connection = dbapi2.connect({str(path)!r}, isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            process.communicate("")


async def test_on_a_full_disk_each_write_of_the_commit_fails_in_words_and_it_goes_on_later(
    db: Database, path: Path
) -> None:
    await db.write(add("before"))
    await db.write(grow_by(3))
    holder, release = await hold(db)
    works = [add("small"), add_large, add("after")]
    tasks = await begin(*(db.write(work) for work in works))
    release.set()
    await holder
    for task in tasks:
        with pytest.raises(DatabaseError) as raised:
            await task
        assert str(raised.value) == (
            f"The disk is full: {path} cannot grow. Nothing that was stored is lost; free space, "
            "and it goes on."
        )
    assert await db.read(names) == ["before"]
    await db.write(grow_by(None))
    for work in works:
        await db.write(work)
    assert len(await db.read(names)) == 4


async def test_a_write_that_hides_a_full_disk_fails_all_the_same(db: Database) -> None:
    def hides(tx: Tx) -> None:
        with suppress(sqlcipher.OperationalError):
            add_large(tx)

    await db.write(grow_by(3))
    with pytest.raises(DatabaseError, match="hid an error"):
        await db.write(hides)
    assert await db.read(names) == []
    await db.write(add("Ada"))
    assert await db.read(names) == ["Ada"]


async def test_a_limit_on_the_size_of_files_is_told_in_words_and_loses_nothing(path: Path) -> None:
    fill = f"""
import asyncio, resource
from pathlib import Path
from companion.errors import DatabaseError
from companion.storage.database import Database
from tests.support.storage import add

async def main():
    db = await Database.open(Path({str(path)!r}))
    await db.write(add("Ada"))
    log = Path({str(path) + "-wal"!r}).stat().st_size
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log + 20_000, hard))
    for name in ("b" * 100_000, "c" * 100_000):
        try:
            await db.write(add(name))
        except DatabaseError as error:
            print(error)
    await db.write(add("Small"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await db.write(add("d" * 100_000))
    await db.close()

asyncio.run(main())
"""
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", fill], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"The disk failed at {path} (") for line in lines)
    db = await Database.open(path)
    assert await db.read(names) == ["Ada", "Small", "d" * 100_000]
    await db.close()


async def test_a_database_that_another_program_holds_is_told_in_words_and_goes_on_later(
    db: Database, path: Path
) -> None:
    with locked_by_another_process(path):
        outcomes = await asyncio.gather(
            *(db.write(add(name)) for name in "ab"), return_exceptions=True
        )
        assert [str(outcome) for outcome in outcomes] == [
            f"{path} is locked by another program. Close what has it open (a database browser, a "
            "copy that runs), and try again."
        ] * 2
        assert await db.read(names) == []
    await db.write(add("Ada"))
    assert await db.read(names) == ["Ada"]


async def test_a_write_waits_for_another_program_that_is_soon_done(path: Path) -> None:
    db = await Database.open(path, patience=timedelta(seconds=20))
    with locked_by_another_process(path):
        writing = asyncio.create_task(db.write(add("Ada")))
        assert await db.read(names) == []
        assert not writing.done()
    await writing
    assert await db.read(names) == ["Ada"]
    await db.close()


async def test_a_database_held_while_it_should_be_brought_up_to_date_is_told_in_words(
    path: Path,
) -> None:
    sqlcipher.connect(str(path)).execute("PRAGMA journal_mode = WAL")
    with locked_by_another_process(path), pytest.raises(DatabaseError, match="is locked by anoth"):
        await Database.open(path, patience=SHORT)
    db = await Database.open(path)
    assert await db.read(names) == []
    await db.close()
