"""Recall storage's rows: every message, verbatim. The FIFO queue is the newest of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter

from companion.llm.protocol import Call, Message, Role
from companion.search.forgetting import scrubbed
from companion.storage import search_index
from companion.storage.database import Tx

Kind = Literal["event", "alert", "answer", "result"]

_ROLES: dict[Kind, Role] = {
    "event": "user",
    "alert": "user",
    "answer": "assistant",
    "result": "tool",
}
WITHHELD = "[what stood here was refused by the model, and is not shown]"
WITHHELD_TOKENS = 40
"""Rather more than it takes, by any way of counting."""

_calls = TypeAdapter(tuple[Call, ...])


DELETED = "(a message that was deleted since)"
CHANGED = "(a message that was changed since: it stands below as it is now)"
FORGOTTEN = "(a message that the person wanted forgotten)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A message of the FIFO queue.

    `text` is what the model reads. `said` is what somebody said with it, whole, and `speaker`
    who; both are empty for what nobody said. `source` tells where that comes from, if it is not
    their own. `tokens` is what it takes in a prompt. `id` is 0 until it is stored.
    """

    kind: Kind
    text: str
    said_at: datetime
    tokens: int
    event: int | None = None
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    speaker: str = ""
    said: str = ""
    source: str = ""
    id: int = 0

    @property
    def message(self) -> Message:
        """The message as it stands in a prompt."""
        return Message(_ROLES[self.kind], self.text, self.calls, self.call_id)

    @property
    def by(self) -> str:
        """Who said it, and where it comes from."""
        return said_by(self.speaker, self.source)

    @property
    def withheld(self) -> bool:
        """Whether no model may be shown what was said with it."""
        return self.text == WITHHELD


@dataclass(frozen=True, slots=True)
class Spoken:
    """What somebody said, word for word. `by` is their name at the time, and the source of it."""

    by: str
    said: str
    said_at: datetime


def said_by(speaker: str, source: str) -> str:
    """Who said something, and where it comes from if it is not their own."""
    return f"{speaker} ({source})" if source else speaker


def add(tx: Tx, person: int, entry: Entry) -> Entry:
    """Store `entry` and make what was said in it searchable. Gives it back with its id."""
    row = tx.execute(
        "INSERT INTO message (person_id, event_id, kind, speaker, said, source, said_at, text,"
        " calls, call_id, tokens) VALUES (:person, :event, :kind, :speaker, :said, :source,"
        " :said_at, :text, :calls, :call_id, :tokens) RETURNING id",
        {
            "person": person,
            "event": entry.event,
            "kind": entry.kind,
            "speaker": entry.speaker,
            "said": entry.said,
            "source": entry.source,
            "said_at": entry.said_at.isoformat(),
            "text": entry.text,
            "calls": _calls.dump_json(entry.calls).decode() if entry.calls else "[]",
            "call_id": entry.call_id,
            "tokens": entry.tokens,
        },
    ).fetchone()
    if entry.said:
        search_index.add_message(
            tx,
            person=person,
            message=row[0],
            speaker=entry.speaker,
            said=entry.said,
        )
    return replace(entry, id=row[0])


def queue(tx: Tx, person: int) -> list[Entry]:
    """The messages that were not evicted, oldest first."""
    rows = tx.execute(
        "SELECT id, event_id, kind, speaker, said, said_at, text, calls, call_id, tokens,"
        " source"
        " FROM message WHERE person_id = :person AND id >"
        " (SELECT evicted_through FROM person WHERE id = :person) ORDER BY id",
        {"person": person},
    )
    return [_entry(row) for row in rows]


def everything(tx: Tx, person: int) -> list[Entry]:
    """All messages, oldest first."""
    rows = tx.execute(
        "SELECT id, event_id, kind, speaker, said, said_at, text, calls, call_id, tokens,"
        " source"
        " FROM message WHERE person_id = :person ORDER BY id",
        {"person": person},
    )
    return [_entry(row) for row in rows]


def _entry(row: tuple[Any, ...]) -> Entry:
    return Entry(
        id=row[0],
        event=row[1],
        kind=row[2],
        speaker=row[3],
        said=row[4],
        said_at=datetime.fromisoformat(row[5]),
        text=row[6],
        calls=_calls.validate_json(row[7]) if row[7] != "[]" else (),
        call_id=row[8],
        tokens=row[9],
        source=row[10],
    )


def withhold(tx: Tx, person: int, event: int) -> None:
    """Show nothing more of what came with `event`: not in prompts, nor to who sums them up.

    What was said stays, and can be searched.
    """
    tx.execute(
        "UPDATE message SET text = :text, tokens = MIN(tokens, :tokens)"
        " WHERE person_id = :person AND event_id = :event AND kind IN ('event', 'result')",
        {"text": WITHHELD, "tokens": WITHHELD_TOKENS, "person": person, "event": event},
    )


def said_with(tx: Tx, person: int, event: int) -> str:
    """What was said with the event."""
    rows = tx.execute(
        "SELECT said FROM message WHERE person_id = :person AND event_id = :event"
        " AND kind = 'event' ORDER BY id",
        {"person": person, "event": event},
    )
    return "\n".join(row[0] for row in rows)


def empty_calls(tx: Tx, person: int, first: int, last: int) -> None:
    """Leave of the calls for the events `first` to `last` only that they were made."""
    rows = tx.execute(
        "SELECT id, calls FROM message WHERE person_id = :person AND calls <> '[]'"
        " AND event_id BETWEEN :first AND :last",
        {"person": person, "first": first, "last": last},
    ).fetchall()
    for message, calls in rows:
        emptied = tuple(
            call if call.name == "send_message" else replace(call, arguments=_emptied(call))
            for call in _calls.validate_json(calls)
        )
        tx.execute(
            "UPDATE message SET calls = :calls WHERE id = :message AND person_id = :person",
            {
                "calls": _calls.dump_json(emptied).decode(),
                "message": message,
                "person": person,
            },
        )


def _emptied(call: Call) -> str:
    return str(scrubbed(call.arguments, lambda _: True))


def forget(tx: Tx, person: int, event: int, put: str = DELETED) -> None:
    """Take out what was said with the event; that something was said stays, as `put`."""
    rows = tx.execute(
        "SELECT id FROM message WHERE person_id = :person AND event_id = :event AND kind = 'event'",
        {"person": person, "event": event},
    ).fetchall()
    for (message,) in rows:
        search_index.remove_message(tx, person=person, message=message)
        tx.execute(
            "UPDATE message SET speaker = '', said = '', source = '', text = :deleted"
            " WHERE id = :message AND person_id = :person",
            {"deleted": put, "message": message, "person": person},
        )


def forget_answers(tx: Tx, person: int, event: int) -> None:
    """Delete what the companion said and did for the event."""
    rows = tx.execute(
        "SELECT id FROM message WHERE person_id = :person AND event_id = :event"
        " AND kind <> 'event'",
        {"person": person, "event": event},
    ).fetchall()
    for (message,) in rows:
        search_index.remove_message(tx, person=person, message=message)
        tx.execute(
            "DELETE FROM message WHERE id = :message AND person_id = :person",
            {"message": message, "person": person},
        )


def forget_results(tx: Tx, person: int, since: int) -> None:
    """Take the words out of what functions gave from the event `since` on: a search quotes."""
    tx.execute(
        "UPDATE message SET text = :deleted"
        " WHERE person_id = :person AND event_id >= :since AND kind = 'result' AND said = ''",
        {"deleted": DELETED, "person": person, "since": since},
    )


def last_heard(tx: Tx, person: int) -> datetime | None:
    """When the person last said anything; None for never."""
    row = tx.execute(
        "SELECT said_at FROM message WHERE person_id = :person AND kind = 'event' AND said <> ''"
        " ORDER BY id DESC LIMIT 1",
        {"person": person},
    ).fetchone()
    return datetime.fromisoformat(row[0]) if row else None


def said_count(tx: Tx, person: int) -> int:
    """How many messages recall storage can find."""
    row = tx.execute(
        "SELECT COUNT(*) FROM message WHERE person_id = :person AND said <> ''",
        {"person": person},
    ).fetchone()
    return int(row[0])


def lately_said(tx: Tx, person: int, limit: int) -> list[str]:
    """The latest things that were said, at most `limit`, newest first."""
    rows = tx.execute(
        "SELECT said FROM message WHERE person_id = :person AND said <> ''"
        " ORDER BY said_at DESC LIMIT :limit",
        {"person": person, "limit": limit},
    )
    return [said for (said,) in rows]


def forget_said(tx: Tx, person: int, wanted: Callable[[str], bool]) -> None:
    """Take out what was said and is `wanted`, whoever said it; that something was said stays."""
    rows = tx.execute(
        "SELECT id, said FROM message WHERE person_id = :person AND said <> ''",
        {"person": person},
    ).fetchall()
    for message, said in rows:
        if wanted(said):
            search_index.remove_message(tx, person=person, message=message)
            tx.execute(
                "UPDATE message SET said = '', source = '', text = :forgotten"
                " WHERE id = :message AND person_id = :person",
                {"forgotten": FORGOTTEN, "message": message, "person": person},
            )


def spoken(tx: Tx, person: int, *, but: int | None = None) -> list[Spoken]:
    """Everything that was said, in order, but for the event `but`."""
    rows = tx.execute(
        "SELECT speaker, source, said, said_at FROM message"
        " WHERE person_id = :person AND said <> '' AND event_id IS NOT :but ORDER BY id",
        {"person": person, "but": but},
    )
    return [Spoken(said_by(row[0], row[1]), row[2], datetime.fromisoformat(row[3])) for row in rows]
