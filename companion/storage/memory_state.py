"""Where a person's queue stands: what was evicted, its summary, and whether it was warned."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Tx

GONE = "(what was summed up here was erased)"


@dataclass(frozen=True, slots=True)
class Summary:
    """The recursive summary of all that was evicted. `tokens` is what it takes in a prompt."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """`shown` is the version of the working context that stands in the prompt."""

    summary: Summary | None
    warned: bool
    shown: int | None


def load(tx: Tx, person: int) -> QueueState:
    """How the person's queue stands."""
    warned, shown = tx.execute(
        "SELECT warned, context_shown FROM person WHERE id = :person", {"person": person}
    ).fetchone()
    row = tx.execute(
        "SELECT text, tokens FROM summary WHERE person_id = :person ORDER BY id DESC LIMIT 1",
        {"person": person},
    ).fetchone()
    return QueueState(Summary(*row) if row else None, bool(warned), shown)


def evicted_through(tx: Tx, person: int) -> int:
    """The last message that the person's queue has evicted."""
    row = tx.execute(
        "SELECT evicted_through FROM person WHERE id = :person", {"person": person}
    ).fetchone()
    return int(row[0])


def warn(tx: Tx, person: int) -> None:
    """Memory pressure was told of, for this fill of the queue."""
    tx.execute("UPDATE person SET warned = 1 WHERE id = :person", {"person": person})


def flush(tx: Tx, person: int, *, through: int | None, summary: Summary, now: datetime) -> None:
    """Evict every message up to `through`, None for no more; show the working context in force."""
    tx.execute(
        "INSERT INTO summary (person_id, text, tokens, through, created_at)"
        " SELECT id, :text, :tokens, COALESCE(:through, evicted_through), :now"
        " FROM person WHERE id = :person",
        {
            "person": person,
            "text": summary.text,
            "tokens": summary.tokens,
            "through": through,
            "now": now.isoformat(),
        },
    )
    tx.execute(
        "UPDATE person SET evicted_through = COALESCE(:through, evicted_through), warned = 0,"
        " context_shown ="
        " (SELECT MAX(id) FROM working_context WHERE person_id = :person) WHERE id = :person",
        {"person": person, "through": through},
    )


def show(tx: Tx, person: int, version: int) -> None:
    """This version of the working context stands in the prompt from now on."""
    tx.execute(
        "UPDATE person SET context_shown = :version WHERE id = :person",
        {"version": version, "person": person},
    )


def forget_summaries(tx: Tx, person: int, event: int) -> None:
    """Empty every summary into which the messages of the event may have gone."""
    tx.execute(
        "UPDATE summary SET text = :gone WHERE person_id = :person AND through >="
        " (SELECT MIN(id) FROM message WHERE event_id = :event AND person_id = :person)",
        {"gone": GONE, "event": event, "person": person},
    )


def rewrite_summaries(tx: Tx, person: int, change: Callable[[str], str]) -> None:
    """Put what `change` makes of it in the place of every summary, those of the past too."""
    rows = tx.execute(
        "SELECT id, text FROM summary WHERE person_id = :person", {"person": person}
    ).fetchall()
    for summary, text in rows:
        if (changed := change(text)) != text:
            tx.execute(
                "UPDATE summary SET text = :text WHERE id = :summary AND person_id = :person",
                {"text": changed, "summary": summary, "person": person},
            )
