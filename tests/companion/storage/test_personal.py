"""The list of personal tables is the whole of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from companion.storage.database import Database, Tx
from companion.storage.personal import (
    BY_ACCOUNT,
    INDEXES,
    NOBODYS,
    TABLES,
    VIEWS_OF_INDEXES,
    PersonalTable,
    Role,
)

SHADOWS = ("data", "idx", "content", "docsize", "config")
"""What FTS5 keeps for an index, each in a table of its own."""


def faults(tx: Tx) -> Iterator[str]:
    """What is wrong with the list, as the tables of the database are."""
    listed = {table.name: table for table in TABLES}
    shadows = {f"{index}_{kind}" for index in INDEXES for kind in SHADOWS}
    known = listed.keys() | BY_ACCOUNT | NOBODYS | INDEXES.keys() | VIEWS_OF_INDEXES | shadows
    there = {name for (name,) in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    yield from (f"{name} is in no list of companion/storage/personal.py" for name in there - known)
    yield from (f"{name} is listed and not there" for name in known - there - shadows)
    for name in sorted(there & NOBODYS):
        if personal := {column for column in _columns(tx, name) if "person" in column}:
            yield f"{name} is called nobody's and has {personal}"
    for position, one in enumerate(TABLES):
        if one.name in there:
            before = {table.name for table in TABLES[: position + 1]}
            yield from _faults_of(tx, one, before, listed)


def _faults_of(
    tx: Tx, one: PersonalTable, before: set[str], listed: Mapping[str, PersonalTable]
) -> Iterator[str]:
    columns = _columns(tx, one.name)
    named = {one.person, one.key or one.person, *one.refers, *one.same, *one.anew}
    for column in (named | one.not_exported) - columns:
        yield f"{one.name} has no {column}"
    if one.role is Role.MEMORY and one.name != "person" and not one.same:
        yield f"nothing tells when two rows of {one.name} are the same"
    keys = tx.execute(f"SELECT [from], [table] FROM pragma_foreign_key_list('{one.name}')")
    for column, target in keys.fetchall():
        if target == "person" and column == one.person:
            continue
        if target in listed and one.refers.get(column) != target:
            yield f"{one.name}.{column} refers to {target}, and the list does not say so"
        if target in listed and target not in before:
            yield f"{one.name} stands before {target}, to which it refers"


def _columns(tx: Tx, name: str) -> set[str]:
    return {row[0] for row in tx.execute(f"SELECT name FROM pragma_table_info('{name}')")}


async def test_every_table_is_in_the_list_with_what_it_refers_to(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    try:
        assert await db.read(lambda tx: sorted(faults(tx))) == []
    finally:
        await db.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            "CREATE TABLE mood (person_id INTEGER NOT NULL REFERENCES person (id), text TEXT)",
            "mood is in no list of companion/storage/personal.py",
        ),
        (
            "CREATE TABLE photo (message_id INTEGER NOT NULL REFERENCES message (id), data BLOB)",
            "photo is in no list of companion/storage/personal.py",
        ),
        (
            "ALTER TABLE endpoint ADD COLUMN person_id INTEGER",
            "endpoint is called nobody's and has {'person_id'}",
        ),
        (
            "ALTER TABLE passage ADD COLUMN message_id INTEGER REFERENCES message (id)",
            "passage.message_id refers to message, and the list does not say so",
        ),
        ("DROP TABLE usage", "usage is listed and not there"),
        ("ALTER TABLE usage RENAME person_id TO whose", "usage has no person_id"),
    ],
)
async def test_a_table_or_column_that_is_not_in_the_list_is_noticed(
    tmp_path: Path, change: str, fault: str
) -> None:
    db = await Database.open(tmp_path / "companion.db")
    try:
        await db.write(lambda tx: tx.execute(change))
        assert fault in await db.read(lambda tx: list(faults(tx)))
    finally:
        await db.close()
