"""What is to happen at a time of its own, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Literal, cast

from companion.events import Address
from companion.storage import timing
from companion.storage.database import Tx
from companion.storage.people import Place
from companion.storage.timing import Timing
from companion.timed.recurrence import Repeats, Rule

State = Literal["active", "held", "done", "cancelled"]
Outcome = Literal["fired", "delayed", "gated", "missed"]

_COLUMNS = (
    "schedule.id, schedule.person_id, schedule.conversation_id, schedule.purpose, schedule.text,"
    " schedule.repeats, schedule.every, schedule.first_day, schedule.wall_time, schedule.zone,"
    " schedule.cron, schedule.last_day, schedule.due_at, schedule.next_at, schedule.state,"
    " schedule.parent_id, schedule.event_id, schedule.created_at"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """Something of one person's that is to happen in one of their conversations.

    `due_at` is its next time, `next_at` when to look at it: later where it is held back.
    `last_day` is the local date of the time before. `parent` is the one in whose turn it was made.
    """

    id: int
    person: int
    conversation: int
    purpose: str
    text: str
    rule: Rule
    last_day: date | None
    due_at: datetime
    next_at: datetime
    state: State
    parent: int | None
    event: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRow:
    """Something whose time has come, with what has a say in whether it happens.

    `zone` is the person's, None while unknown. `shut_out` says that nobody there may talk with us,
    or that the chat is not theirs any more.
    """

    scheduled: Scheduled
    place: Place
    reachable: bool
    shut_out: bool
    zone: str | None
    timing: Timing


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What became of one time of something that was scheduled."""

    schedule: int
    due_at: datetime
    at: datetime
    outcome: Outcome
    reason: str
    event: int | None


def add(
    tx: Tx,
    place: Place,
    *,
    purpose: str,
    text: str,
    rule: Rule,
    due_at: datetime,
    now: datetime,
    parent: int | None = None,
    event: int | None = None,
) -> Scheduled:
    """Have something happen at `due_at`, and then as `rule` says, in the conversation `place`."""
    values = {
        "person": place.person,
        "conversation": place.id,
        "purpose": purpose,
        "text": text,
        "repeats": rule.repeats,
        "every": rule.every,
        "first_day": rule.first_day.isoformat() if rule.first_day else None,
        "wall_time": rule.wall_time.isoformat() if rule.wall_time else None,
        "zone": rule.zone,
        "cron": rule.cron,
        "due": due_at.isoformat(),
        "parent": parent,
        "event": event,
        "now": now.isoformat(),
    }
    row = tx.execute(
        "INSERT INTO schedule (person_id, conversation_id, purpose, text, repeats, every,"
        " first_day, wall_time, zone, cron, due_at, next_at, parent_id, event_id, created_at)"
        " VALUES (:person, :conversation, :purpose, :text, :repeats, :every,"
        " :first_day, :wall_time, :zone, :cron, :due, :due, :parent, :event, :now)"
        f" RETURNING {_COLUMNS.replace('schedule.', '')}",
        values,
    ).fetchone()
    return _scheduled(row)


def due(tx: Tx, now: datetime, limit: int) -> list[DueRow]:
    """What is to be looked at by now, of everybody, in the order in which it was due."""
    rows = tx.execute(
        f"SELECT {_COLUMNS}, conversation.platform, conversation.chat, conversation.thread,"
        " conversation.private, conversation.unreachable_at, person.timezone,"
        " conversation.person_id <> schedule.person_id"
        " OR conversation.private AND EXISTS (SELECT 1 FROM account"
        " WHERE account.person_id = schedule.person_id"
        " AND account.platform = conversation.platform) AND NOT EXISTS (SELECT 1 FROM account"
        " WHERE account.person_id = schedule.person_id"
        " AND account.platform = conversation.platform AND account.revoked_at IS NULL),"
        " timing.quiet_from, timing.quiet_until, timing.paused_until"
        " FROM schedule JOIN person ON person.id = schedule.person_id"
        " JOIN conversation ON conversation.id = schedule.conversation_id"
        " LEFT JOIN timing ON timing.person_id = schedule.person_id"
        " WHERE schedule.state = 'active' AND schedule.next_at <= :now"
        " ORDER BY schedule.next_at, schedule.due_at, schedule.id LIMIT :limit",
        {"now": now.isoformat(), "limit": limit},
    )
    return [_due_row(row) for row in rows.fetchall()]


def overdue(tx: Tx, person: int, conversation: int, before: datetime) -> list[Scheduled]:
    """What waits in this conversation of the person's and was due before then, in order."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM schedule WHERE person_id = :person"
        " AND conversation_id = :conversation AND state = 'active' AND due_at < :before"
        " ORDER BY due_at, id",
        {"person": person, "conversation": conversation, "before": before.isoformat()},
    )
    return [_scheduled(row) for row in rows.fetchall()]


def next_moment(tx: Tx) -> datetime | None:
    """When there is next something to look at, of anybody; None for never."""
    row = tx.execute(
        "SELECT next_at FROM schedule WHERE state = 'active' ORDER BY next_at LIMIT 1"
    ).fetchone()
    return datetime.fromisoformat(row[0]) if row else None


def get(tx: Tx, person: int, id: int) -> Scheduled | None:  # noqa: A002 - what it is called
    """What the person has under this number."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM schedule WHERE id = :id AND person_id = :person",
        {"id": id, "person": person},
    ).fetchone()
    return _scheduled(row) if row else None


def to_come(tx: Tx, person: int, purposes: Sequence[str] = ()) -> list[Scheduled]:
    """What is still to happen to the person, soonest first; of these purposes, or of all."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM schedule WHERE person_id = :person"
        " AND state IN ('active', 'held') ORDER BY next_at, due_at, id",
        {"person": person},
    )
    found = [_scheduled(row) for row in rows.fetchall()]
    return [one for one in found if not purposes or one.purpose in purposes]


def everything(tx: Tx, person: int) -> list[Scheduled]:
    """All that was ever scheduled for the person, oldest first."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM schedule WHERE person_id = :person ORDER BY id",
        {"person": person},
    )
    return [_scheduled(row) for row in rows.fetchall()]


def advance_all(tx: Tx, passed: Sequence[tuple[Scheduled, datetime | None, datetime]]) -> None:
    """Times have passed: of each, the next one, None if it was the last, and the one that was."""
    rows = []
    for one, following, at in passed:
        last_day = one.rule.local_day(at)
        rows.append(
            {
                "id": one.id,
                "person": one.person,
                "due": following.isoformat() if following else None,
                "last_day": last_day.isoformat() if last_day else None,
            }
        )
    tx.executemany(
        "UPDATE schedule SET due_at = coalesce(:due, due_at), next_at = coalesce(:due, next_at),"
        " last_day = :last_day, state = iif(:due IS NULL, 'done', state)"
        " WHERE id = :id AND person_id = :person",
        rows,
    )


def look_again(tx: Tx, one: Scheduled, due_at: datetime, next_at: datetime) -> None:
    """It was due at `due_at`, and is looked at again at `next_at`."""
    tx.execute(
        "UPDATE schedule SET due_at = :due, next_at = :next WHERE id = :id AND person_id = :person",
        {
            "id": one.id,
            "person": one.person,
            "due": due_at.isoformat(),
            "next": next_at.isoformat(),
        },
    )


def hold(tx: Tx, one: Scheduled) -> None:
    """Let it wait for the next message from its chat."""
    _set_state(tx, one.person, one.id, "held")


def cancel(tx: Tx, person: int, id: int) -> None:  # noqa: A002 - what it is called
    """It is not to happen."""
    _set_state(tx, person, id, "cancelled")


def resume(tx: Tx, person: int, conversation: int) -> None:
    """Something came from this conversation: what waited for that is looked at."""
    tx.execute(
        "UPDATE schedule SET state = 'active' WHERE person_id = :person"
        " AND conversation_id = :conversation AND state = 'held'",
        {"person": person, "conversation": conversation},
    )


def move(tx: Tx, one: Scheduled, zone: str, due_at: datetime) -> None:
    """Its wall time is on the clock of `zone` from now on, and next comes at `due_at`."""
    tx.execute(
        "UPDATE schedule SET zone = :zone, due_at = :due, next_at = :due"
        " WHERE id = :id AND person_id = :person",
        {"id": one.id, "person": one.person, "zone": zone, "due": due_at.isoformat()},
    )


def note(
    tx: Tx,
    one: Scheduled,
    outcome: Outcome,
    *,
    due_at: datetime,
    now: datetime,
    reason: str = "",
    event: int | None = None,
) -> None:
    """Write down what became of a time of it, and why."""
    tx.execute(
        "INSERT INTO schedule_history"
        " (person_id, schedule_id, due_at, at, outcome, reason, event_id)"
        " VALUES (:person, :schedule, :due, :now, :outcome, :reason, :event)",
        {
            "person": one.person,
            "schedule": one.id,
            "due": due_at.isoformat(),
            "now": now.isoformat(),
            "outcome": outcome,
            "reason": reason,
            "event": event,
        },
    )


def note_fired(tx: Tx, fired: Sequence[tuple[Scheduled, datetime, int]], now: datetime) -> None:
    """Write down that times of these came, with the events that they became."""
    tx.executemany(
        "INSERT INTO schedule_history (person_id, schedule_id, due_at, at, outcome, event_id)"
        " VALUES (:person, :schedule, :due, :now, 'fired', :event)",
        [
            {
                "person": one.person,
                "schedule": one.id,
                "due": due_at.isoformat(),
                "now": now.isoformat(),
                "event": event,
            }
            for one, due_at, event in fired
        ],
    )


def last_fired(tx: Tx, person: int) -> datetime | None:
    """When something last happened to the person at a time of its own."""
    row = tx.execute(
        "SELECT MAX(at) FROM schedule_history WHERE person_id = :person AND outcome = 'fired'",
        {"person": person},
    ).fetchone()
    return datetime.fromisoformat(row[0]) if row[0] else None


def last_that_fired(
    tx: Tx, person: int, conversation: int, purposes: Sequence[str]
) -> Scheduled | None:
    """What last happened in this conversation of the person's, of these purposes."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM schedule_history AS past"
        " JOIN schedule ON schedule.id = past.schedule_id AND schedule.person_id = past.person_id"
        " WHERE past.person_id = :person AND past.outcome = 'fired'"
        " AND schedule.conversation_id = :conversation ORDER BY past.id DESC",
        {"person": person, "conversation": conversation},
    )
    found = (_scheduled(row) for row in rows)
    return next((one for one in found if one.purpose in purposes), None)


def history(tx: Tx, person: int, id: int | None = None) -> list[Past]:  # noqa: A002
    """What became of what was scheduled for the person, or of one of it, oldest first."""
    rows = tx.execute(
        "SELECT schedule_id, due_at, at, outcome, reason, event_id FROM schedule_history"
        " WHERE person_id = :person AND (:id IS NULL OR schedule_id = :id) ORDER BY id",
        {"person": person, "id": id},
    )
    return [
        Past(
            schedule=row[0],
            due_at=datetime.fromisoformat(row[1]),
            at=datetime.fromisoformat(row[2]),
            outcome=row[3],
            reason=row[4],
            event=row[5],
        )
        for row in rows.fetchall()
    ]


def _set_state(tx: Tx, person: int, id: int, state: State) -> None:  # noqa: A002
    tx.execute(
        "UPDATE schedule SET state = :state WHERE id = :id AND person_id = :person",
        {"id": id, "person": person, "state": state},
    )


def _scheduled(row: Sequence[Any]) -> Scheduled:
    once = row[9] is None
    rule = Rule(
        repeats=cast(Repeats, row[5]),
        at=datetime.fromisoformat(row[12]) if once else None,
        every=row[6],
        first_day=date.fromisoformat(row[7]) if row[7] else None,
        wall_time=time.fromisoformat(row[8]) if row[8] else None,
        zone=row[9],
        cron=row[10],
    )
    return Scheduled(
        id=row[0],
        person=row[1],
        conversation=row[2],
        purpose=row[3],
        text=row[4],
        rule=rule,
        last_day=date.fromisoformat(row[11]) if row[11] else None,
        due_at=datetime.fromisoformat(row[12]),
        next_at=datetime.fromisoformat(row[13]),
        state=row[14],
        parent=row[15],
        event=row[16],
        created_at=datetime.fromisoformat(row[17]),
    )


def _due_row(row: Sequence[Any]) -> DueRow:
    platform, chat, thread, private, unreachable_at, zone, shut_out, *said = row[18:]
    address = Address(platform=platform, chat=chat, thread=thread or None, private=bool(private))
    scheduled = _scheduled(row)
    return DueRow(
        scheduled=scheduled,
        place=Place(scheduled.conversation, scheduled.person, address),
        reachable=unreachable_at is None,
        shut_out=bool(shut_out),
        zone=zone,
        timing=timing.read(*said),
    )
