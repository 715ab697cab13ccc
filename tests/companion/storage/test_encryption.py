"""COMPANION_DB_KEY, right, wrong and missing."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError, WrongKeyError
from companion.storage.database import Database
from tests.support import folders
from tests.support.storage import add, names, store_and_die

SECRET = "a sentence that nobody else may read"


async def make(path: Path, key: str | None) -> None:
    db = await Database.open(path, key=key)
    await db.write(add(SECRET))
    await db.close()


@pytest.mark.parametrize(
    "key",
    ["plain words", "with 'single' and \"double\" quotes", "ключ-鍵-🔑", " \t;--", "\udcff\udcfe"],
)
async def test_any_key_opens_what_it_made(tmp_path: Path, key: str) -> None:
    path = tmp_path / "companion.db"
    await make(path, key)
    db = await Database.open(path, key=key)
    assert await db.read(names) == [SECRET]
    await db.close()


async def test_an_encrypted_database_shows_no_plain_text_in_any_of_its_files(
    tmp_path: Path,
) -> None:
    db = await Database.open(tmp_path / "companion.db", key="sésame")
    await db.write(add(SECRET))
    contents = folders.contents(tmp_path)
    await db.close()
    contents["closed"] = (tmp_path / "companion.db").read_bytes()
    assert {"companion.db", "companion.db-wal", "closed"} <= set(contents)
    for content in contents.values():
        assert b"nobody else" not in content
        assert b"CREATE TABLE" not in content
        assert b"SQLite format" not in content


@pytest.mark.parametrize(
    ("made_with", "opened_with", "advice"),
    [
        ("right", "wrong", "does not open .* Set the key that it was made with"),
        ("right", None, "is encrypted, or no database. Set COMPANION_DB_KEY"),
        (None, "right", "is not encrypted, but COMPANION_DB_KEY is set. Unset it"),
    ],
)
async def test_a_key_that_does_not_fit_is_refused_with_what_to_do(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    made_with: str | None,
    opened_with: str | None,
    advice: str,
) -> None:
    path = tmp_path / "companion.db"
    await make(path, made_with)
    before = path.read_bytes()
    with pytest.raises(WrongKeyError, match=advice) as raised:
        await Database.open(path, key=opened_with)
    assert "right" not in str(raised.value).replace("the right", "")
    assert path.read_bytes() == before
    assert folders.names(tmp_path) == ["companion.db"]
    assert capfd.readouterr() == ("", "")

    db = await Database.open(path, key=made_with)
    assert await db.read(names) == [SECRET]
    await db.close()


@pytest.mark.parametrize("key", ["a key", None])
async def test_a_file_that_is_no_database_is_refused_and_left_alone(
    tmp_path: Path, key: str | None
) -> None:
    path = tmp_path / "companion.db"
    path.write_text("Dear diary, " * 1000)
    with pytest.raises(WrongKeyError, match="no database"):
        await Database.open(path, key=key)
    assert path.read_text() == "Dear diary, " * 1000


async def test_a_database_cut_short_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    await make(path, None)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(DatabaseError, match="is damaged"):
        await Database.open(path)


async def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    await db.write(add(SECRET))
    modes = folders.modes(tmp_path)
    await db.close()
    assert modes == {
        "companion.db": 0o600,
        "companion.db-wal": 0o600,
        "companion.db-shm": 0o600,
    }


async def test_a_folder_in_the_place_of_the_database_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="cannot be opened"):
        await Database.open(tmp_path)
    with pytest.raises(DatabaseError, match="cannot be opened"):
        await Database.open(tmp_path / "missing" / "companion.db")


async def test_a_wrong_key_does_no_harm_to_what_only_the_log_holds(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    await make(path, "right")
    for name, wrong in [("Ada", "wrong"), ("Bob", None)]:
        store_and_die(path, name, key="right")
        with pytest.raises(WrongKeyError):
            await Database.open(path, key=wrong)
    db = await Database.open(path, key="right")
    assert await db.read(names) == [SECRET, "Ada", "Bob"]
    await db.close()


async def test_the_tools_of_sqlcipher_open_the_file_with_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    await make(path, "sésame")
    with closing(sqlcipher.connect(str(path))) as theirs:
        theirs.set_key("sésame".encode())
        assert theirs.execute("SELECT name FROM person").fetchall() == [(SECRET,)]
