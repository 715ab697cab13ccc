"""What a companion left on disk, in a form that two runs can be compared in."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from companion.errors import DatabaseError
from companion.storage.connection import SqlError, Tx, connect
from companion.storage.migrate import migrations

Rows = list[tuple[Any, ...]]

# Each query gives the person's name first. Times are left out, and instead of ids of rows stand
# the platform's own id of an event, or the row's number among the person's.
MEMORY = {
    "events": """
        SELECT person.name, external_id, inbox.kind, state
          FROM inbox JOIN person ON person.id = person_id ORDER BY inbox.id""",
    "steps": """
        SELECT person.name, external_id, number, reply
          FROM step JOIN person ON person.id = step.person_id JOIN inbox ON inbox.id = event_id
         ORDER BY step.id""",
    "calls carried out": """
        SELECT person.name, external_id, step.number, tool_done.number, result, failed, heartbeat
          FROM tool_done JOIN step ON step.id = step_id JOIN person ON person.id = step.person_id
          JOIN inbox ON inbox.id = event_id ORDER BY step.id, tool_done.number""",
    "messages to deliver": """
        SELECT person.name, external_id, part, outbox.text, notice, outbox.state
          FROM outbox JOIN person ON person.id = outbox.person_id JOIN inbox ON inbox.id = event_id
         ORDER BY outbox.id""",
    "recall storage": """
        SELECT person.name, external_id, message.kind, speaker, said, message.text, calls, call_id,
               tokens
          FROM message JOIN person ON person.id = message.person_id
          JOIN inbox ON inbox.id = event_id ORDER BY message.id""",
    "archival storage": """
        SELECT person.name, external_id, passage.text, passage.source
          FROM passage JOIN person ON person.id = passage.person_id
          LEFT JOIN inbox ON inbox.id = event_id ORDER BY passage.id""",
    "working context": """
        SELECT person.name, external_id, version.text, cause,
               (SELECT COUNT(*) FROM working_context AS older
                 WHERE older.person_id = version.person_id AND older.id < version.restored)
          FROM working_context AS version JOIN person ON person.id = version.person_id
          LEFT JOIN inbox ON inbox.id = event_id ORDER BY version.id""",
    "summaries": """
        SELECT person.name, summary.text, tokens,
               (SELECT COUNT(*) FROM message
                 WHERE message.person_id = summary.person_id AND message.id <= through)
          FROM summary JOIN person ON person.id = summary.person_id ORDER BY summary.id""",
    "queue": """
        SELECT name, warned,
               (SELECT COUNT(*) FROM message
                 WHERE message.person_id = person.id AND message.id <= evicted_through),
               (SELECT COUNT(*) FROM working_context
                 WHERE working_context.person_id = person.id
                   AND working_context.id <= context_shown)
          FROM person ORDER BY id""",
    "usage": """
        SELECT person.name, model, requests, prompt_tokens, cached_tokens, completion_tokens
          FROM usage JOIN person ON person.id = person_id ORDER BY day, model""",
}

# Each gives rows where something does not fit.
WHOLE = {
    "integrity": "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    "foreign keys": "SELECT * FROM pragma_foreign_key_check",
}
MISFITS = {
    **WHOLE,
    "messages without an index entry": """
        SELECT id FROM message WHERE said <> '' EXCEPT SELECT id FROM message_words_docsize""",
    "index entries without a message": """
        SELECT id FROM message_words_docsize EXCEPT SELECT id FROM message WHERE said <> ''""",
    "passages without an index entry": """
        SELECT id FROM passage EXCEPT SELECT id FROM passage_words_docsize""",
    "index entries without a passage": """
        SELECT id FROM passage_words_docsize EXCEPT SELECT id FROM passage""",
}

CALL_IDS = re.compile(r"\b(call|say)_\d+_")
"""Made from the id of the event's row, which depends on who else wrote meanwhile."""
NOTES = re.compile(r"\b(note|number|replaces[=:\" ]*) ?\d+")
"""The number of a note, which depends on that as well."""


@dataclass(frozen=True, slots=True)
class Remains:
    """The database after a life.

    `memory` holds, by person, every table's rows; `journaled` the event and number of each step;
    `misfits` what is wrong with the file.
    """

    memory: Mapping[str, Mapping[str, Rows]]
    journaled: frozenset[tuple[str, int]]
    misfits: tuple[str, ...]

    @classmethod
    def of(cls, database: Path) -> Self:
        """What is in the file `database`, which a kill may have left in any state."""
        try:
            tx = connect(database, None)
            try:
                (version,) = tx.execute("PRAGMA user_version").fetchone()
                if version < len(migrations()):
                    return cls({}, frozenset(), _misfits(tx, WHOLE))
                memory = _memory(tx)
                misfits = (*_misfits(tx, MISFITS), *_without_one_vector(tx))
                return cls(memory, _journaled(memory), misfits)
            finally:
                tx.close()
        except (DatabaseError, SqlError) as error:
            return cls({}, frozenset(), (f"unreadable: {error}",))


def _memory(tx: Tx) -> Mapping[str, Mapping[str, Rows]]:
    memory: dict[str, dict[str, Rows]] = defaultdict(lambda: {name: [] for name in MEMORY})
    for name, query in MEMORY.items():
        for person, *row in tx.execute(query):
            memory[person][name].append(
                tuple(
                    NOTES.sub(r"\1", CALL_IDS.sub(r"\1_", v)) if isinstance(v, str) else v
                    for v in row
                )
            )
    return dict(memory)


def _journaled(memory: Mapping[str, Mapping[str, Rows]]) -> frozenset[tuple[str, int]]:
    return frozenset((row[0], row[1]) for tables in memory.values() for row in tables["steps"])


def _without_one_vector(tx: Tx) -> Iterator[str]:
    """Texts that have no vector and wait for none, or have several."""
    for kind, texts in (
        ("message", "SELECT id FROM message WHERE said <> ''"),
        ("passage", "SELECT id FROM passage"),
    ):
        waiting = "SELECT item_id FROM unembedded WHERE kind = ?"
        having = Counter(item for (item,) in tx.execute(waiting, (kind,)))
        for (items,) in tx.execute("SELECT items FROM vector_block WHERE kind = ?", (kind,)):
            having.update(memoryview(items).cast("q"))
        if having != Counter(item for (item,) in tx.execute(texts)):
            yield f"vectors: not every {kind} has one or waits for one: {having}"


def _misfits(tx: Tx, queries: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{name}: {row}" for name, query in queries.items() for row in tx.execute(query).fetchall()
    )
