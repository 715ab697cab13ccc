"""Each time that a person's memory was put in order at night, and what it takes to undo that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from companion.storage import passages
from companion.storage.database import Tx
from companion.storage.passages import Passage


@dataclass(frozen=True, slots=True)
class Day:
    """What was said since the last night: how many messages, and the newest of them."""

    messages: int
    newest: int


def day(tx: Tx, person: int) -> Day:
    """What there was to think about."""
    row = tx.execute(
        "SELECT COUNT(*), coalesce(MAX(id), 0) FROM message WHERE person_id = :person"
        " AND said <> '' AND id >"
        " (SELECT coalesce(MAX(through), 0) FROM tidying WHERE person_id = :person)",
        {"person": person},
    ).fetchone()
    return Day(*row)


def spent(tx: Tx, since: datetime) -> int:
    """The tokens that nights took since then, of everybody."""
    row = tx.execute(
        "SELECT coalesce(SUM(tokens), 0) FROM tidying WHERE at >= :since",
        {"since": since.isoformat()},
    ).fetchone()
    return int(row[0])


def is_done(tx: Tx, person: int, event: int) -> bool:
    """Whether it was done for this event already."""
    row = tx.execute(
        "SELECT 1 FROM tidying WHERE event_id = :event AND person_id = :person",
        {"event": event, "person": person},
    ).fetchone()
    return row is not None


def add(
    tx: Tx,
    person: int,
    event: int,
    *,
    through: int,
    tokens: int,
    context: int | None,
    gone: Sequence[Passage],
    added: Sequence[Passage],
    now: datetime,
) -> None:
    """Memory was put in order; what was before can be brought back until the next time."""
    tx.execute("DELETE FROM tidied_passage WHERE person_id = :person", {"person": person})
    tx.execute(
        "INSERT INTO tidying (event_id, person_id, at, through, tokens, context_id)"
        " VALUES (:event, :person, :now, :through, :tokens, :context)",
        {
            "event": event,
            "person": person,
            "now": now.isoformat(),
            "through": through,
            "tokens": tokens,
            "context": context,
        },
    )
    for passage in added:
        tx.execute(
            "INSERT INTO tidied_passage (person_id, event_id, passage_id)"
            " VALUES (:person, :event, :passage)",
            {"person": person, "event": event, "passage": passage.id},
        )
    for passage in gone:
        tx.execute(
            "INSERT INTO tidied_passage (person_id, event_id, text, source, created_at)"
            " VALUES (:person, :event, :text, :source, :created_at)",
            {
                "person": person,
                "event": event,
                "text": passage.text,
                "source": passage.source,
                "created_at": passage.created_at.isoformat(),
            },
        )


def undo(tx: Tx, person: int, context: int) -> bool:
    """Bring back the notes as they were before the night in which this working context was the
    last. True when they are all that this night changed."""
    rows = tx.execute(
        "SELECT tidied_passage.passage_id, tidied_passage.text, tidied_passage.source,"
        " tidied_passage.created_at, working_context.event_id IS tidying.event_id"
        " FROM tidied_passage JOIN tidying ON tidying.event_id = tidied_passage.event_id"
        " AND tidying.person_id = tidied_passage.person_id"
        " JOIN working_context ON working_context.id = tidying.context_id"
        " AND working_context.person_id = tidying.person_id"
        " WHERE tidied_passage.person_id = :person AND tidying.context_id = :context",
        {"person": person, "context": context},
    ).fetchall()
    for passage, text, source, created_at, _made in rows:
        if passage is not None:
            passages.remove(tx, person, passage)
        else:
            moment = datetime.fromisoformat(created_at)
            passages.add(tx, person, text, source=source, now=moment)
    if rows:
        tx.execute("DELETE FROM tidied_passage WHERE person_id = :person", {"person": person})
    return bool(rows) and not rows[0][4]


def forget(tx: Tx, person: int, wanted: Callable[[str], bool]) -> None:
    """Keep nothing of what is meant for an undo."""
    rows = tx.execute(
        "SELECT id, text FROM tidied_passage WHERE person_id = :person AND text IS NOT NULL",
        {"person": person},
    ).fetchall()
    for row, text in rows:
        if wanted(text):
            tx.execute(
                "DELETE FROM tidied_passage WHERE id = :id AND person_id = :person",
                {"id": row, "person": person},
            )
