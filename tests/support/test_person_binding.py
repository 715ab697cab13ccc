"""The check on statements: what keeps to one person, and what does not."""

from contextlib import closing
from pathlib import Path

import pytest

from companion.storage.connection import connect
from companion.storage.database import Database, Tx
from tests.support.person_binding import Allowed, Schema, unbound, unbound_tables
from tests.support.sql_trace import LED, recorded, shape
from tests.support.storage import add, names

SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE message (
    id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (id), text TEXT, kind TEXT
);
CREATE TABLE vector (
    message_id INTEGER REFERENCES message (id), person_id INTEGER REFERENCES person (id), v BLOB
);
CREATE TABLE endpoint (url TEXT);
CREATE VIRTUAL TABLE words USING fts5 (tokens, content = '', contentless_delete = 1);
"""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    with closing(connect(tmp_path_factory.mktemp("schema") / "some.db", None)) as connection:
        connection.executescript(SCHEMA)
        return Schema.of(connection)


def test_personal_tables_are_found_from_the_schema(schema: Schema) -> None:
    assert schema.personal == {"message", "vector", "words"}


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO message (person_id, text) VALUES (1, 'hello')",
        "INSERT INTO message (person_id, text) SELECT person_id, text FROM message"
        " WHERE person_id = 1 AND id = 7",
        "INSERT INTO words (rowid, tokens) VALUES (7, ' 12\ue000garden 12\ue001ada')",
        "INSERT INTO words (words) VALUES ('optimize')",
        "SELECT text FROM message WHERE (kind = 'a' OR kind = 'b') AND (person_id = 12)",
        "SELECT text FROM message AS m WHERE 12 = m.person_id ORDER BY id DESC LIMIT 5",
        "SELECT (SELECT count(*) FROM message WHERE person_id = 1) FROM endpoint",
        "SELECT m.text FROM vector AS v JOIN message AS m ON m.id = v.message_id"
        " WHERE v.person_id = 12",
        "SELECT m.text FROM message AS m LEFT JOIN vector ON vector.message_id = m.id"
        " WHERE m.person_id = 12",
        "SELECT text FROM words JOIN message ON message.id = words.rowid"
        " WHERE words MATCH '\"12\ue000garden\" AND 12\ue000rose'",
        "SELECT (SELECT group_concat(rowid) FROM words WHERE words MATCH term.value)"
        ' FROM json_each(\'["\\"12\ue000garden\\"","\\"12\ue000rose\\""]\') AS term',
        "WITH found AS (SELECT id FROM message WHERE person_id = 1) SELECT id FROM found",
        "UPDATE OR IGNORE message SET text = 'x' WHERE id = 7 AND person_id = 12",
        "DELETE FROM message WHERE id = 7 AND person_id = 12",
        "DELETE FROM words WHERE rowid IN (SELECT id FROM message WHERE person_id = 12)",
        "SELECT p.name FROM person AS p WHERE EXISTS"
        " (SELECT 1 FROM message AS m WHERE m.person_id = 3 AND EXISTS"
        " (SELECT 1 FROM vector WHERE vector.message_id = m.id))",
        "SELECT url FROM endpoint",
        "PRAGMA user_version",
        "BEGIN IMMEDIATE",
    ],
)
def test_what_keeps_to_one_person_passes(schema: Schema, statement: str) -> None:
    assert unbound_tables(shape(statement), schema) == []


@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        ("INSERT INTO message (text) VALUES ('hello')", ["message"]),
        ("INSERT INTO message VALUES (1, 2, 'hello', 'event')", ["message"]),
        ("INSERT INTO message (person_id) SELECT person_id FROM vector", ["vector"]),
        ("INSERT INTO words (rowid, tokens) VALUES (7, ' 12\ue000garden ada')", ["words"]),
        ("SELECT text FROM message", ["message"]),
        ("SELECT text FROM message WHERE id = 7", ["message"]),
        ("SELECT text FROM message WHERE person_id = 12 OR kind = 'event'", ["message"]),
        ("SELECT text FROM message WHERE NOT person_id = 12", ["message"]),
        ("SELECT text FROM message WHERE person_id > 12", ["message"]),
        ("SELECT text FROM message WHERE person_id = person_id", ["message"]),
        ("SELECT text, 'person_id = 12' FROM message", ["message"]),
        ("SELECT text FROM message -- WHERE person_id = 12", ["message"]),
        (
            "SELECT m.text FROM vector AS v JOIN message AS m ON m.kind = v.v"
            " WHERE v.person_id = 12",
            ["message"],
        ),
        (
            "SELECT text FROM message LEFT JOIN vector ON message.person_id = 12"
            " AND vector.message_id = message.id",
            ["message", "vector"],
        ),
        ("SELECT rowid FROM words WHERE words MATCH 'garden'", ["words"]),
        ("SELECT rowid FROM words WHERE words MATCH '12\ue000garden OR rose'", ["words"]),
        ("SELECT rowid FROM words('12\ue000garden')", ["words"]),
        ("UPDATE message SET text = 'x' WHERE id = 7", ["message"]),
        ("UPDATE message SET person_id = 12 WHERE id = 7", ["message"]),
        ("DELETE FROM words WHERE rowid = 7", ["words"]),
        ("DELETE FROM message WHERE id IN (SELECT message_id FROM vector)", ["message", "vector"]),
        (
            "SELECT 1 FROM endpoint WHERE EXISTS (SELECT 1 FROM message WHERE kind = 'x')",
            ["message"],
        ),
        (
            "SELECT text FROM message WHERE person_id = 1"
            " UNION ALL SELECT text FROM message WHERE kind = 'x'",
            ["message"],
        ),
        ("WITH found AS (SELECT id FROM message) SELECT id FROM found", ["message"]),
    ],
)
def test_what_may_touch_others_is_named(schema: Schema, statement: str, tables: list[str]) -> None:
    assert unbound_tables(shape(statement), schema) == tables


def test_what_a_trigger_runs_is_checked_as_well(schema: Schema) -> None:
    reported = "-- UPDATE message SET text = 'x'\n--  WHERE kind = :kind"
    assert shape(reported) == "UPDATE message SET text = '?' WHERE kind = :kind"
    assert unbound_tables(shape(reported), schema) == ["message"]


def test_a_shape_has_no_values() -> None:
    assert (
        shape("SELECT a1, x'00ff' FROM t -- it's\n WHERE b = 'it''s 5' AND c = 5.5 AND d = ?1")
        == "SELECT a1, ? FROM t WHERE b = '?' AND c = ? AND d = ?1"
    )
    assert shape("SELECT '12\ue000garden 12\ue000rose'") == f"SELECT {LED}"
    assert shape("SELECT '', '12\ue000garden rose'") == "SELECT '?', '?'"


def test_an_exception_is_for_whole_statements_and_must_be_of_use(schema: Schema) -> None:
    sweep = "SELECT id FROM message WHERE kind = '?'"
    shapes = [sweep, sweep + " ORDER BY id", "SELECT id FROM message WHERE person_id = ?"]
    allowed = [
        Allowed(r"SELECT id FROM message WHERE kind = '\?'", "the start looks at everybody's"),
        Allowed("SELECT id FROM vector", "nobody asks so any more"),
    ]
    assert unbound(shapes, schema, allowed) == [
        f"message without a person: {sweep} ORDER BY id",
        "exception without a use: SELECT id FROM vector",
    ]


async def test_a_trace_hears_the_writer_and_every_reader_and_queries_in_a_loop(
    tmp_path: Path,
) -> None:
    db = await Database.open(tmp_path / "companion.db")

    def in_a_loop(tx: Tx) -> None:
        for (number,) in tx.execute("SELECT id FROM person"):
            tx.execute("SELECT name FROM person WHERE id = :id", {"id": number})

    await db.write(add("Before"))
    async with recorded(db) as trace:
        await db.write(add("Ada"))
        for _ in range(4):
            await db.read(names)
        await db.read(in_a_loop)
    await db.write(add("After"))
    await db.close()
    assert trace.shapes["INSERT INTO person (name, created_at) VALUES ('?', '?')"] == 1
    assert trace.shapes["SELECT name FROM person ORDER BY id"] == 4
    assert trace.shapes["SELECT name FROM person WHERE id = ?"] == 2
    assert trace.shapes["COMMIT"] >= 1
