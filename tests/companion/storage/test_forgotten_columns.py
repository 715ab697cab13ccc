"""No column of a person's table may hold words that forgetting passes by."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.storage.database import Database, Tx
from companion.storage.forget import TEXTS
from companion.storage.personal import TABLES, Role

TAKEN_OUT_OTHERWISE = {
    "message": {"said"},
    "summary": {"text"},
    "working_context": {"text"},
    "passage": {"text"},
    "tidied_passage": {"text"},
}
"""Where `forget` knows more than to put a word in the place of the whole text."""

NAMES = {
    "person": {"name", "persona"},
    "account": {"platform", "user", "name"},
    "message": {"speaker"},
}
"""Who somebody is, and with whom they talk: what is known of them, not what was told."""

NUMBERS = {
    "conversation": {"platform", "chat", "thread", "last_message"},
    "inbox": {"source", "external_id", "message"},
    "outbox": {"reacts_to"},
    "delivered": {"message"},
    "message": {"call_id"},
    "opener": {"offered", "about"},
    "link": {"code"},
    "dead_letter": {"platform", "external_id"},
}
"""What platforms and we ourselves call things by."""

FROM_A_SET = {
    "person": {"kind", "timezone"},
    "inbox": {"kind", "state"},
    "outbox": {"state"},
    "message": {"kind"},
    "working_context": {"cause"},
    "usage": {"model"},
    "schedule": {"purpose", "repeats", "zone", "cron", "state"},
    "schedule_history": {"outcome", "reason"},
    "opener_wish": {"wish"},
    "opener": {"state", "reaction"},
}
"""One of a few words, a pattern of times, or an emoji."""

FAULTS = {"inbox": {"error"}, "outbox": {"error"}, "dead_letter": {"error"}}
"""What went wrong, which never quotes what people wrote."""

NAMES_OF_FILES = {"outbox": {"document_name"}}
"""Names that the program gives to what it hands over."""

EXPLAINED = (TAKEN_OUT_OTHERWISE, NAMES, NUMBERS, FROM_A_SET, FAULTS, NAMES_OF_FILES)
TIMES = ("_at", "_until", "_from", "_day", "_time")
TIMES_AS_WELL = {"at", "day", "until", "since"}


def passed_by(tx: Tx) -> Iterator[str]:
    """Columns that may hold words, and of which nobody says what becomes of them."""
    for table in TABLES:
        if table.role is Role.DERIVED:
            continue
        rows = tx.execute(f"SELECT name, type FROM pragma_table_info('{table.name}')").fetchall()
        words = {name for name, kind in rows if kind not in ("INTEGER", "REAL", "BLOB")}
        scrubbed = [texts for texts in TEXTS if texts.table == table.name]
        known = set().union(*(one.get(table.name, set()) for one in EXPLAINED))
        known |= set().union(*((*texts.plain, *texts.as_json) for texts in scrubbed))
        known |= {name for name in words if name.endswith(TIMES) or name in TIMES_AS_WELL}
        yield from (f"{table.name}.{name}" for name in sorted(words - known))
        yield from (f"{table.name} has no {name}" for name in sorted(known - words))


async def test_every_column_with_words_is_forgotten_or_explained(tmp_path: Path) -> None:
    db = await Database.open(tmp_path / "companion.db")
    try:
        assert await db.read(lambda tx: list(passed_by(tx))) == []
    finally:
        await db.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("ALTER TABLE schedule ADD COLUMN remark TEXT", "schedule.remark"),
        ("ALTER TABLE opener ADD COLUMN draft", "opener.draft"),
        ("ALTER TABLE outbox RENAME text TO words", "outbox.words"),
    ],
)
async def test_a_new_one_is_noticed(tmp_path: Path, change: str, fault: str) -> None:
    db = await Database.open(tmp_path / "companion.db")
    try:
        await db.write(lambda tx: tx.execute(change))
        assert fault in await db.read(lambda tx: list(passed_by(tx)))
    finally:
        await db.close()
