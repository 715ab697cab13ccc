"""Copies of a database in use, and homes brought back from them."""

import asyncio
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import DatabaseError, DatabaseTooNewError, HomeInUseError, WrongKeyError
from companion.home import Home
from companion.storage.backup import back_up
from companion.storage.connection import connect
from companion.storage.database import Database, Tx
from companion.storage.restore import restore
from tests.support import folders
from tests.support.storage import StoppedClock, add, names, store_and_die

CLOCK = StoppedClock()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.make()
    return home


async def store(path: Path, *people: str, key: str | None = None) -> None:
    db = await Database.open(path, key=key)
    for name in people:
        await db.write(add(name))
    await db.close()


async def stored(path: Path, key: str | None = None) -> list[str]:
    db = await Database.open(path, key=key, read_only=True)
    try:
        return await db.read(names)
    finally:
        await db.close()


@pytest.mark.parametrize("key", [None, "sésame"])
async def test_a_backup_brings_the_home_back_to_when_it_was_made(
    home: Home, tmp_path: Path, key: str | None
) -> None:
    backup = tmp_path / "backup.db"
    await store(home.database, "Ada Lovelace", key=key)
    back_up(home.database, backup, key=key)
    await store(home.database, "Bob", key=key)

    kept = restore(backup, home, key=key, clock=CLOCK)

    assert await stored(home.database, key) == ["Ada Lovelace"]
    assert kept == home.path / "companion.replaced-20260505T120000Z.db"
    assert await stored(kept, key) == ["Ada Lovelace", "Bob"]
    assert (b"Ada Lovelace" in backup.read_bytes()) == (key is None)
    assert folders.modes(tmp_path)["backup.db"] == 0o600


async def test_a_backup_holds_one_state_of_a_database_that_is_being_written(
    home: Home, tmp_path: Path
) -> None:
    def pair(number: int) -> Callable[[Tx], None]:
        def work(tx: Tx) -> None:
            add(f"{number} left")(tx)
            tx.execute("UPDATE person SET timezone = hex(zeroblob(2000))")
            add(f"{number} right")(tx)

        return work

    db = await Database.open(home.database)
    for number in range(50):
        await db.write(pair(number))
    copying = asyncio.create_task(asyncio.to_thread(back_up, home.database, tmp_path / "backup.db"))
    written = 50
    while not copying.done():
        await db.write(pair(written))
        written += 1
    await copying
    await db.close()
    copied = await stored(tmp_path / "backup.db")
    assert len(copied) % 2 == 0
    assert copied[-1].endswith("right")
    assert 100 <= len(copied) <= 2 * written
    assert folders.names(tmp_path) == ["backup.db", "home"]


async def test_a_backup_is_never_written_over_a_file(home: Home, tmp_path: Path) -> None:
    await store(home.database, "Ada Lovelace")
    (tmp_path / "letter.txt").write_text("Dear Ada")
    with pytest.raises(DatabaseError, match=r"a file at .*letter\.txt already"):
        back_up(home.database, tmp_path / "letter.txt")
    with pytest.raises(DatabaseError, match="could not be copied"):
        back_up(home.database, tmp_path / "missing" / "backup.db")
    with pytest.raises(DatabaseError, match="There is no database at"):
        back_up(home.path / "none.db", tmp_path / "backup.db")


async def test_a_folder_is_called_one(home: Home, tmp_path: Path) -> None:
    await store(home.database, "Ada Lovelace")
    with pytest.raises(DatabaseError, match=r"is a folder\. Name a file in it: .*/companion\.db$"):
        back_up(home.database, tmp_path)
    with pytest.raises(DatabaseError, match=r"is a folder\. Name the file in it"):
        restore(tmp_path, home, clock=CLOCK)


async def test_an_export_that_is_to_be_restored_is_known_for_one(
    home: Home, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "anna.zip", "w") as archive:
        archive.writestr("anna.json", "{}")
    with pytest.raises(DatabaseError, match=r"`companion import .*anna\.zip`"):
        restore(tmp_path / "anna.zip", home, clock=CLOCK)


async def test_a_home_in_use_is_not_restored(home: Home, tmp_path: Path) -> None:
    await store(home.database, "Ada Lovelace")
    back_up(home.database, tmp_path / "backup.db")
    with home.lock(CLOCK), pytest.raises(HomeInUseError):
        restore(tmp_path / "backup.db", home, clock=CLOCK)


async def test_what_is_no_good_backup_is_refused_and_the_home_stays_as_it_is(
    home: Home, tmp_path: Path
) -> None:
    await store(home.database, "Ada Lovelace")
    with home.lock(CLOCK):
        before = folders.contents(home.path)
    good, damaged, newer = (tmp_path / f"{name}.db" for name in ("good", "damaged", "newer"))
    locked, empty, text = (tmp_path / f"{name}.db" for name in ("locked", "empty", "text"))
    back_up(home.database, good)
    damaged.write_bytes(good.read_bytes()[: -5 * 4096] + b"\xff" * 5 * 4096)
    shutil.copy(good, newer)
    connect(newer, None).execute("PRAGMA user_version = 99")
    await store(locked, key="another")
    connect(empty, None)
    text.write_text("Dear diary, " * 1000)

    for backup, error, words in [
        (tmp_path / "none.db", DatabaseError, "There is no database at"),
        (damaged, DatabaseError, "is damaged"),
        (newer, DatabaseTooNewError, "newer version"),
        (locked, WrongKeyError, "Set COMPANION_DB_KEY"),
        (empty, DatabaseError, "nothing to restore"),
        (text, WrongKeyError, "no database"),
    ]:
        with pytest.raises(error, match=words):
            restore(backup, home, clock=CLOCK)
        assert folders.contents(home.path) == before


async def test_a_new_home_is_made_from_a_backup(home: Home, tmp_path: Path) -> None:
    await store(home.database, "Ada Lovelace")
    back_up(home.database, tmp_path / "backup.db")
    other = Home(tmp_path / "other")
    assert restore(tmp_path / "backup.db", other, clock=CLOCK) is None
    assert await stored(other.database) == ["Ada Lovelace"]


async def test_what_a_killed_process_left_in_the_log_is_kept_with_the_replaced_file(
    home: Home, tmp_path: Path
) -> None:
    await store(home.database, "Ada Lovelace")
    back_up(home.database, tmp_path / "backup.db")
    store_and_die(home.database, "Bob")
    kept = restore(tmp_path / "backup.db", home, clock=CLOCK)
    assert kept is not None
    assert await stored(kept) == ["Ada Lovelace", "Bob"]
    assert await stored(home.database) == ["Ada Lovelace"]


async def test_a_damaged_database_is_kept_with_its_log_when_it_is_replaced(
    home: Home, tmp_path: Path
) -> None:
    await store(home.database, "Ada Lovelace")
    back_up(home.database, tmp_path / "backup.db")
    home.database.write_bytes(os.urandom(8192))
    log = home.database.with_name("companion.db-wal")
    log.write_bytes(b"what was left of it")
    kept = restore(tmp_path / "backup.db", home, clock=CLOCK)
    assert kept is not None
    assert kept.with_name(kept.name + "-wal").read_bytes() == b"what was left of it"
    assert kept.stat().st_size == 8192
    assert await stored(home.database) == ["Ada Lovelace"]
