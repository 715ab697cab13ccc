"""What the model answered to an event, and which of its calls were carried out."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from companion.llm.protocol import Reply
from companion.storage.database import Tx

_replies = TypeAdapter(Reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The outcome of a call that was carried out."""

    result: str
    failed: bool
    heartbeat: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A model's answer, and the outcomes of its calls so far, by the call's number from 0."""

    id: int
    reply: Reply
    done: dict[int, Done]


def steps(tx: Tx, person: int, event: int) -> list[Step]:
    """The steps taken for `event`, in order."""
    rows = tx.execute(
        "SELECT id, reply FROM step WHERE event_id = :event AND person_id = :person"
        " ORDER BY number",
        {"event": event, "person": person},
    ).fetchall()
    return [Step(row[0], _replies.validate_json(row[1]), _done(tx, person, row[0])) for row in rows]


def all_steps(tx: Tx, person: int) -> list[Step]:
    """The steps taken for all events of the person's, in order."""
    rows = tx.execute(
        "SELECT id, reply FROM step WHERE person_id = :person ORDER BY id", {"person": person}
    ).fetchall()
    return [Step(row[0], _replies.validate_json(row[1]), _done(tx, person, row[0])) for row in rows]


def _done(tx: Tx, person: int, step: int) -> dict[int, Done]:
    rows = tx.execute(
        "SELECT number, result, failed, heartbeat FROM tool_done"
        " WHERE step_id = :step AND person_id = :person",
        {"step": step, "person": person},
    )
    return {
        row[0]: Done(result=row[1], failed=bool(row[2]), heartbeat=bool(row[3])) for row in rows
    }


def add_step(tx: Tx, person: int, event: int, *, number: int, reply: Reply, now: datetime) -> Step:
    """Keep a model's answer. This is committed before anything in it is done."""
    row = tx.execute(
        "INSERT INTO step (person_id, event_id, number, reply, created_at)"
        " VALUES (:person, :event, :number, :reply, :now) RETURNING id",
        {
            "person": person,
            "event": event,
            "number": number,
            "reply": _replies.dump_json(reply).decode(),
            "now": now.isoformat(),
        },
    ).fetchone()
    return Step(row[0], reply, {})


def add_done(tx: Tx, person: int, step: int, number: int, done: Done) -> None:
    """Keep the outcome of a call, in the transaction of its effect."""
    tx.execute(
        "INSERT INTO tool_done (step_id, number, person_id, result, failed, heartbeat)"
        " VALUES (:step, :number, :person, :result, :failed, :heartbeat)",
        {
            "step": step,
            "number": number,
            "person": person,
            "result": done.result,
            "failed": done.failed,
            "heartbeat": done.heartbeat,
        },
    )


def kept_something(tx: Tx, person: int, first: int, last: int) -> bool:
    """Whether memory was written for one of the events from `first` to `last`."""
    row = tx.execute(
        "SELECT EXISTS (SELECT 1 FROM working_context WHERE person_id = :person"
        "   AND event_id BETWEEN :first AND :last)"
        " OR EXISTS (SELECT 1 FROM passage WHERE person_id = :person"
        "   AND event_id BETWEEN :first AND :last)",
        {"person": person, "first": first, "last": last},
    ).fetchone()
    return bool(row[0])


def forget_results(tx: Tx, person: int, since: int) -> None:
    """Take the words out of what calls gave from the event `since` on."""
    tx.execute(
        "UPDATE tool_done SET result = '' WHERE person_id = :person AND step_id IN"
        " (SELECT id FROM step WHERE event_id >= :since AND person_id = :person)",
        {"person": person, "since": since},
    )


def forget(tx: Tx, person: int, first: int, last: int) -> None:
    """Delete the steps that were taken for the events from `first` to `last`."""
    which = {"first": first, "last": last, "person": person}
    tx.execute(
        "DELETE FROM tool_done WHERE person_id = :person AND step_id IN (SELECT id FROM step"
        " WHERE event_id BETWEEN :first AND :last AND person_id = :person)",
        which,
    )
    tx.execute(
        "DELETE FROM step WHERE event_id BETWEEN :first AND :last AND person_id = :person",
        which,
    )
