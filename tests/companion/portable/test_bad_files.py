"""What is no export, or a bad one, is refused with a sentence, and nothing of it is taken."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.home import Home
from companion.portable.archive import read
from companion.storage.database import Database
from tests.companion.cli.conftest import Here

Change = Callable[[dict[str, bytes]], None]
MANIFEST = {"format": "companion-export", "version": 1, "name": "Anna"}
ENTRIES = {
    "manifest.json": json.dumps(MANIFEST).encode(),
    "data/person.jsonl": b'{"id": 7, "kind": "person", "name": "Anna", "timezone": null}\n',
    "data/account.jsonl": b'{"platform": "test", "user": "a", "name": "Anna", "person_id": 7}\n',
    "data/message.jsonl": json.dumps(
        {
            "id": 3,
            "person_id": 7,
            "kind": "event",
            "speaker": "Anna",
            "said": "plums",
            "said_at": "2025-05-05T12:00:00+00:00",
            "text": "plums",
            "calls": "[]",
            "tokens": 3,
        }
    ).encode(),
}


def put(entries: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def without_manifest(entries: dict[str, bytes]) -> None:
    del entries["manifest.json"]


def with_manifest(**more: object) -> Change:
    return lambda entries: entries.update({"manifest.json": json.dumps(MANIFEST | more).encode()})


def with_message(line: bytes = b"", **more: object) -> Change:
    def change(entries: dict[str, bytes]) -> None:
        row = json.loads(entries["data/message.jsonl"]) | more
        entries["data/message.jsonl"] = line or json.dumps(row).encode()

    return change


BAD: dict[str, tuple[Change, str]] = {
    "a foreign zip": (without_manifest, "no export of a companion's"),
    "another format": (with_manifest(format="else"), "no export of a companion's"),
    "a version without a number": (with_manifest(version="one"), "no export of a companion's"),
    "a newer program": (with_manifest(version=99), "Update this one first"),
    "a manifest that is a list": (
        lambda e: e.update({"manifest.json": b"[]"}),
        "no export of a companion's",
    ),
    "a bomb": (
        lambda e: e.update({"data/message.jsonl": b" " * 30_000_000}),
        "would unpack to 30,000,000 bytes",
    ),
    "many files": (
        lambda e: e.update({f"files/{n}": b"" for n in range(20_001)}),
        "No export is that large",
    ),
    "no JSON": (with_message(b"{what"), "Line 1 of data/message.jsonl"),
    "no object": (with_message(b"[1]"), "Line 1 of data/message.jsonl"),
    "deep JSON": (with_message(b'{"a":' * 100_000), "Line 1 of data/message.jsonl"),
    "no text": (with_message(b"\xff\xfe"), "Line 1 of data/message.jsonl"),
    "a list in a row": (with_message(said=["plums"]), "Line 1 of data/message.jsonl"),
    "a huge number": (with_message(tokens=2**64), "Line 1 of data/message.jsonl"),
    "no time": (with_message(said_at="yesterday"), "Line 1 of data/message.jsonl"),
    "a time without a zone": (with_message(said_at="2025-05-05T12:00:00"), "has no time zone"),
    "a wrong kind": (with_message(kind="order"), "what no companion writes"),
    "broken calls": (with_message(calls="[{]"), "what no companion writes"),
    "a wrong column's value": (with_message(text=None), "what no companion writes"),
    "an unknown zone": (
        lambda e: e.update({"data/person.jsonl": b'{"timezone": "Moon/Base"}'}),
        "what no companion writes",
    ),
}


@pytest.mark.parametrize("what", BAD)
async def test_it_is_refused_and_nothing_is_taken(here: Here, tmp_path: Path, what: str) -> None:
    change, words = BAD[what]
    entries = dict(ENTRIES)
    change(entries)
    Home(tmp_path / "home").make()
    ran = await here(tmp_path / "home", "import", str(put(entries, tmp_path / "bad.zip")))
    assert ran.code == 2, ran.out
    assert words in ran.err
    assert "Traceback" not in ran.err
    if (tmp_path / "home/companion.db").exists():
        db = await Database.open(tmp_path / "home/companion.db")
        try:
            assert await db.read(lambda tx: tx.execute("SELECT * FROM person").fetchall()) == []
        finally:
            await db.close()


async def test_the_file_that_these_are_made_from_is_taken(here: Here, tmp_path: Path) -> None:
    Home(tmp_path / "home").make()
    ran = await here(tmp_path / "home", "import", str(put(ENTRIES, tmp_path / "good.zip")))
    assert ran.out.startswith("New for Anna (number 1): 1 message,"), ran.err


async def test_a_file_that_is_no_zip_or_cut_short_is_refused(here: Here, tmp_path: Path) -> None:
    whole = put(ENTRIES, tmp_path / "good.zip").read_bytes()
    for number, content in enumerate((b"", b"not a zip", whole[: len(whole) // 2])):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(content)
        ran = await here(tmp_path / "home", "import", str(path))
        assert (ran.code, "Fetch the export once more" in ran.err) == (2, True)
    assert (await here(tmp_path / "home", "import", str(tmp_path / "none.zip"))).code == 2


def test_an_entry_that_is_longer_than_it_says_is_not_read_on(tmp_path: Path) -> None:
    content = io.BytesIO(put(ENTRIES, tmp_path / "good.zip").read_bytes())
    with zipfile.ZipFile(content) as archive:
        size = archive.getinfo("data/message.jsonl").file_size
    lying = content.getvalue().replace(struct.pack("<I", size), struct.pack("<I", 5))
    (tmp_path / "lying.zip").write_bytes(lying)
    with pytest.raises(Exception, match=r"damaged|Line 1"):
        read(tmp_path / "lying.zip")


def test_a_name_in_the_zip_leads_out_of_no_folder(tmp_path: Path) -> None:
    names = ("../../evil", "/etc/evil2", "..", "a/b/c", "back\\slash")
    entries = ENTRIES | {f"files/{name}": b"x" for name in names}
    export = read(put(entries, tmp_path / "sly.zip"))
    assert set(export.files) == {"evil", "evil2", "c", "back_slash"}
