"""Migrations, each with its backup, and what is refused before anything is touched."""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError, DatabaseTooNewError
from companion.storage.connection import Tx, connect
from companion.storage.database import Database
from companion.storage.migrate import BACKUPS_KEPT, check_version, migrate, migrations
from tests.support import folders
from tests.support.storage import StoppedClock, names

NEWEST = len(migrations())


@contextmanager
def connected(path: Path, key: str | None = None) -> Iterator[Tx]:
    with closing(connect(path, key)) as connection:
        yield connection


def version(connection: Tx) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def filled(path: Path, *, through: int = NEWEST, key: str | None = None) -> None:
    """Make a database of version `through` that holds one person."""
    with connected(path, key) as connection:
        scripts = migrations()[:through]
        migrate(connection, path, key=key, clock=StoppedClock(), scripts=scripts)
        connection.execute("INSERT INTO person (name, created_at) VALUES ('Ada', '')")


def copies(folder: Path) -> list[Path]:
    return sorted(folder.glob("*before-update*"))


async def test_a_new_database_is_at_the_newest_version_and_needs_no_backup(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    assert await db.read(version) == NEWEST
    await db.close()
    assert copies(tmp_path) == []


async def test_an_older_database_is_copied_beside_itself_and_brought_up_to_date(
    tmp_path: Path,
) -> None:
    path = tmp_path / "companion.db"
    filled(path, through=1)
    db = await Database.open(path, clock=StoppedClock())
    assert await db.read(version) == NEWEST
    assert await db.read(names) == ["Ada"]
    await db.close()
    assert [copy.name for copy in copies(tmp_path)] == [
        "companion.before-update-20260505T120000Z-v1.db"
    ]
    with connected(copies(tmp_path)[0]) as connection:
        assert version(connection) == 1
        assert names(connection) == ["Ada"]


def test_the_copy_before_an_update_is_encrypted_like_the_database(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    filled(path, through=1, key="sésame")
    with connected(path, "sésame") as connection:
        migrate(connection, path, key="sésame", clock=StoppedClock())
    (copy,) = copies(tmp_path)
    assert b"Ada" not in copy.read_bytes()
    with connected(copy, "sésame") as connection:
        assert names(connection) == ["Ada"]


def test_the_newest_few_copies_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    filled(path)
    scripts = migrations()
    clock = StoppedClock()
    for _ in range(BACKUPS_KEPT + 2):
        clock.time += timedelta(days=1)
        scripts.append("CREATE TABLE IF NOT EXISTS spare (id INTEGER)")
        with connected(path) as connection:
            migrate(connection, path, key=None, clock=clock, scripts=scripts)
    assert [copy.name[24:32] for copy in copies(tmp_path)] == ["20260508", "20260509", "20260510"]
    with connected(path) as connection:
        assert version(connection) == NEWEST + BACKUPS_KEPT + 2


def test_a_failing_script_leaves_the_version_and_the_data_before_it(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    filled(path)
    good = "CREATE TABLE extra (id INTEGER); UPDATE person SET name = 'Ada L.';"
    bad = "UPDATE person SET name = 'gone'; DROP TABLE extra; INSERT INTO missing VALUES (1);"
    with (
        connected(path) as connection,
        pytest.raises(DatabaseError, match=f"version {NEWEST + 2}: no such table: missing"),
    ):
        migrate(
            connection,
            path,
            key=None,
            clock=StoppedClock(),
            scripts=[*migrations(), good, bad],
        )
    with connected(path) as connection:
        assert version(connection) == NEWEST + 1
        assert names(connection) == ["Ada L."]
        assert connection.execute("SELECT count(*) FROM extra").fetchone() == (0,)


def test_a_full_disk_stops_a_migration_without_harm(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    filled(path)
    grows = "CREATE TABLE big AS SELECT zeroblob(1000000) AS stuff;"
    with connected(path) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DatabaseError, match="The disk is full"):
            migrate(
                connection, path, key=None, clock=StoppedClock(), scripts=[*migrations(), grows]
            )
        assert version(connection) == NEWEST
        assert names(connection) == ["Ada"]


def test_a_script_may_hold_triggers_comments_and_semicolons_in_text(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    script = """
        -- first; a comment
        CREATE TABLE note (text TEXT DEFAULT 'a;b');
        CREATE TRIGGER twice AFTER INSERT ON person BEGIN
            INSERT INTO note (text) VALUES ('one; two');
            INSERT INTO note (text) VALUES ('three');
        END;
        -- last
        """
    with connected(path) as connection:
        scripts = [*migrations(), script]
        migrate(connection, path, key=None, clock=StoppedClock(), scripts=scripts)
        connection.execute("INSERT INTO person (name, created_at) VALUES ('Ada', '')")
        assert connection.execute("SELECT text FROM note").fetchall() == [("one; two",), ("three",)]


def test_a_script_without_its_last_semicolon_runs_whole(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    with connected(path) as connection:
        scripts = ["CREATE TABLE a (id INTEGER); CREATE TABLE b (id INTEGER)"]
        migrate(connection, path, key=None, clock=StoppedClock(), scripts=scripts)
        assert connection.execute("SELECT count(*) FROM b").fetchone() == (0,)


async def test_a_newer_database_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    filled(path)
    with connected(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNewError, match=r"schema 99.*Update companion"):
        await Database.open(path)
    assert path.read_bytes() == before
    assert folders.names(tmp_path) == ["companion.db"]


@pytest.mark.parametrize("their_version", [0, 1, 75])
async def test_the_database_of_another_program_is_refused_and_left_alone(
    tmp_path: Path, their_version: int
) -> None:
    path = tmp_path / "places.db"
    with closing(sqlcipher.connect(str(path))) as theirs:
        theirs.execute("CREATE TABLE places (url TEXT)")
        theirs.execute(f"PRAGMA user_version = {their_version}")
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match="another program"):
        await Database.open(path)
    assert path.read_bytes() == before


async def test_two_that_open_a_new_database_at_once_both_get_it(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    for db in await asyncio.gather(*(Database.open(path) for _ in range(4))):
        assert await db.read(version) == NEWEST
        await db.close()


def test_an_older_database_cannot_be_looked_at_before_it_is_brought_up_to_date(
    tmp_path: Path,
) -> None:
    path = tmp_path / "companion.db"
    filled(path, through=1)
    with connected(path) as connection, pytest.raises(DatabaseError, match="Start the companion"):
        check_version(connection, path, read_only=True)


def test_released_migrations_never_change() -> None:
    lines = (Path(__file__).parent / "migration_digests.txt").read_text().splitlines()
    pairs = [line.split() for line in lines if not line.startswith("#")]
    pinned = {name: digest for digest, name in pairs}
    folder = Path(str(files("companion.storage") / "migrations"))
    digests = {
        script.name: hashlib.sha256(script.read_bytes()).hexdigest()
        for script in folder.glob("*.sql")
    }
    unreleased = {name for name, digest in pinned.items() if digest == "unreleased"}
    assert sorted(pinned) == sorted(digests), "each migration has one line"
    assert {n: d for n, d in pinned.items() if n not in unreleased} == {
        n: d for n, d in digests.items() if n not in unreleased
    }
