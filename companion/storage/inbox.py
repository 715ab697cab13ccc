"""Events that were acknowledged, until they are dealt with."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from companion import events
from companion.events import Address, Event
from companion.storage import people
from companion.storage.database import Tx
from companion.storage.people import Place

_KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        events.MessageReceived,
        events.MessageEdited,
        events.MessageDeleted,
        events.ReactionReceived,
        events.FileReceived,
        events.VoiceReceived,
        events.PersonStarted,
        events.PersonReturned,
        events.TimerFired,
        events.Notice,
    )
}


@dataclass(slots=True, kw_only=True)
class InboxItem:
    """An event of one person's. `begun` means that its message stands in the queue.

    `failing_since` is when it failed first since the program started; None if it did not.
    """

    id: int
    person: int
    conversation: int
    address: Address
    event: Event
    received_at: datetime
    begun: bool = False
    attempts: int = 0
    failing_since: datetime | None = None


@lru_cache
def _as_json(kind: str) -> TypeAdapter[Event]:
    """Reads and writes events of one kind; making all of them would slow down every start."""
    return TypeAdapter(_KINDS[kind])


def add(tx: Tx, place: Place, event: Event, now: datetime) -> InboxItem | None:
    """Keep `event`; None when the platform has given it before.

    Raises:
        TypeError: a field of it has another type than it should, and could not be read again.
    """
    row = tx.execute(
        "INSERT INTO inbox"
        " (person_id, conversation_id, source, external_id, kind, body, message, received_at)"
        " VALUES (:person, :conversation, :source, :external, :kind, :body, :message, :now)"
        " ON CONFLICT (source, external_id) DO NOTHING RETURNING id",
        {
            "person": place.person,
            "conversation": place.id,
            "source": place.address.platform,
            "external": event.id,
            "kind": type(event).__name__,
            "message": _message(event),
            "body": _body(event),
            "now": now.isoformat(),
        },
    ).fetchone()
    if row is None:
        return None
    if (message := _message(event)) is not None:
        people.came(tx, place.person, place.id, message)
    return InboxItem(
        id=row[0],
        person=place.person,
        conversation=place.id,
        address=place.address,
        event=event,
        received_at=now,
    )


def _body(event: Event) -> str:
    kind = _as_json(type(event).__name__)
    try:
        return kind.dump_json(event, exclude_defaults=True, warnings="error").decode()
    except PydanticSerializationError:  # whose words quote the field
        raise TypeError("an event has a field of the wrong type") from None


def add_all(
    tx: Tx, arrivals: Sequence[tuple[Place, events.TimerFired]], now: datetime
) -> list[InboxItem]:
    """Keep timed events, all at once; gives those that were not there before, in the same order."""
    if not arrivals:
        return []
    kind = events.TimerFired.__name__
    written = _as_json(kind)
    rows = [
        [
            place.person,
            place.id,
            place.address.platform,
            event.id,
            written.dump_json(event, exclude_defaults=True).decode(),
        ]
        for place, event in arrivals
    ]
    numbers = dict(
        tx.execute(
            "INSERT INTO inbox"
            " (person_id, conversation_id, source, external_id, kind, body, received_at)"
            " SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, :kind, value ->> 4, :now"
            " FROM json_each(:rows) WHERE true ORDER BY key"
            " ON CONFLICT (source, external_id) DO NOTHING RETURNING external_id, id",
            {"rows": json.dumps(rows), "kind": kind, "now": now.isoformat()},
        ).fetchall()
    )
    return [
        InboxItem(
            id=numbers[event.id],
            person=place.person,
            conversation=place.id,
            address=place.address,
            event=event,
            received_at=now,
        )
        for place, event in arrivals
        if event.id in numbers
    ]


def _message(event: Event) -> str | None:
    """The platform's id of the message that came with `event`."""
    if isinstance(event, events.MessageReceived | events.FileReceived | events.VoiceReceived):
        return event.message or None
    return None


def open_items(tx: Tx) -> list[InboxItem]:
    """What is not dealt with, of everybody, oldest first. Only for the start of the program."""
    rows = tx.execute(
        "SELECT inbox.id, inbox.person_id, inbox.conversation_id, inbox.kind, inbox.body,"
        " inbox.received_at, inbox.state, inbox.attempts"
        " FROM inbox WHERE inbox.state IN ('waiting', 'begun') ORDER BY inbox.id"
    )
    return [_item(row) for row in rows]


def why_unanswered(tx: Tx, person: int) -> str | None:
    """What kept the person's last message from being answered so far; None if nothing did.

    That may be what another event failed for, behind which it stands.
    """
    last = tx.execute(
        "SELECT state IN ('waiting', 'begun') FROM inbox"
        " WHERE person_id = :person AND kind = 'MessageReceived' ORDER BY id DESC LIMIT 1",
        {"person": person},
    ).fetchone()
    if last is None or not last[0]:
        return None
    row = tx.execute(
        "SELECT error FROM inbox WHERE person_id = :person AND state IN ('waiting', 'begun')"
        " AND error IS NOT NULL ORDER BY id DESC LIMIT 1",
        {"person": person},
    ).fetchone()
    return row[0] if row else None


def _item(row: tuple[int, int, int, str, str, str, str, int]) -> InboxItem:
    event = _as_json(row[3]).validate_json(row[4])
    return InboxItem(
        id=row[0],
        person=row[1],
        conversation=row[2],
        address=event.address,
        event=event,
        received_at=datetime.fromisoformat(row[5]),
        begun=row[6] == "begun",
        attempts=row[7],
    )


def everything(tx: Tx, person: int) -> list[Event]:
    """All events of the person's, oldest first."""
    rows = tx.execute(
        "SELECT kind, body FROM inbox WHERE person_id = :person ORDER BY id", {"person": person}
    )
    return [_as_json(kind).validate_json(body) for kind, body in rows]


def heard(tx: Tx, person: int, event: int) -> list[Event]:
    """What the model hears in the turn of `event` besides it: all since its last turn, in order."""
    rows = tx.execute(
        "SELECT kind, body FROM inbox WHERE person_id = :person AND id <> :event AND id IN"
        " (SELECT event_id FROM message WHERE person_id = :person AND kind = 'event' AND id >"
        "   COALESCE((SELECT id FROM message WHERE person_id = :person AND kind = 'answer'"
        "     AND event_id IS NOT :event ORDER BY id DESC LIMIT 1), 0)) ORDER BY id",
        {"person": person, "event": event},
    )
    return [_as_json(kind).validate_json(body) for kind, body in rows]


def heard_before(tx: Tx, person: int, event: int) -> list[Event]:
    """What stands in the queue from before what is `heard`, in order.

    Nothing where none of it brought others' words, which have a source or are
    quotes, told apart by their author.
    """
    rows = tx.execute(
        "WITH seen AS (SELECT inbox.id, inbox.kind, inbox.body, message.source FROM message"
        "   JOIN inbox ON inbox.id = message.event_id AND inbox.person_id = :person"
        "   WHERE message.person_id = :person AND message.kind = 'event'"
        "   AND inbox.id <> :event AND message.id >"
        "     (SELECT evicted_through FROM person WHERE id = :person)"
        "   AND message.id < (SELECT MAX(id) FROM message WHERE person_id = :person"
        "     AND kind = 'answer' AND event_id IS NOT :event))"
        " SELECT kind, body FROM seen WHERE EXISTS (SELECT 1 FROM seen"
        "   WHERE source <> '' OR body ->> '$.answered' IS NOT NULL) ORDER BY id",
        {"person": person, "event": event},
    )
    return [_as_json(kind).validate_json(body) for kind, body in rows]


def begun_by(tx: Tx, person: int, said: int) -> InboxItem | None:
    """The event for which row `said` of the outbox was the first; None if it was a later one."""
    row = tx.execute(
        "SELECT inbox.id, inbox.person_id, inbox.conversation_id, inbox.kind, inbox.body,"
        " inbox.received_at, inbox.state, inbox.attempts FROM outbox"
        " JOIN inbox ON inbox.id = outbox.event_id AND inbox.person_id = outbox.person_id"
        " WHERE outbox.id = :said AND outbox.person_id = :person AND outbox.part = 0",
        {"said": said, "person": person},
    ).fetchone()
    return _item(row) if row else None


@dataclass(frozen=True, slots=True)
class Original:
    """A message as it came: the row of its event, its text, and whether it was meant for us."""

    id: int
    text: str
    addressed: bool


def find_message(tx: Tx, person: int, conversation: int, message: str) -> Original | None:
    """The event that brought the message which the platform calls `message`."""
    row = tx.execute(
        "SELECT id, kind, body FROM inbox WHERE person_id = :person"
        " AND conversation_id = :conversation AND message = :message ORDER BY id DESC LIMIT 1",
        {"person": person, "conversation": conversation, "message": message},
    ).fetchone()
    if row is None:
        return None
    event = _as_json(row[1]).validate_json(row[2])
    return Original(row[0], getattr(event, "text", ""), getattr(event, "addressed", True))


def last_received(tx: Tx, person: int, conversation: int) -> datetime | None:
    """When a message last came from the conversation; None when none has."""
    row = tx.execute(
        "SELECT MAX(received_at) FROM inbox WHERE person_id = :person"
        " AND conversation_id = :conversation AND message IS NOT NULL",
        {"person": person, "conversation": conversation},
    ).fetchone()
    return datetime.fromisoformat(row[0]) if row[0] else None


def forget_text(tx: Tx, person: int, event: int) -> None:
    """Keep of the event what happened, but not what was said with it."""
    tx.execute(
        "UPDATE inbox SET body = json_remove(json_set(body, '$.text', ''), '$.contents')"
        " WHERE id = :event AND person_id = :person",
        {"event": event, "person": person},
    )


def is_taken_back(tx: Tx, person: int, message: str) -> bool:
    """Whether the deletion of this message of the person's waits to be dealt with."""
    row = tx.execute(
        "SELECT COUNT(*) FROM inbox WHERE person_id = :person AND state IN ('waiting', 'begun')"
        " AND kind = 'MessageDeleted' AND json_extract(body, '$.message') = :message",
        {"person": person, "message": message},
    ).fetchone()
    return bool(row[0])


def came_as(tx: Tx, platform: str, id: str) -> Event | None:  # noqa: A002 - the platform's own id
    """The event that came from the platform under this id."""
    row = tx.execute(
        "SELECT kind, body FROM inbox WHERE source = :platform AND external_id = :id",
        {"platform": platform, "id": id},
    ).fetchone()
    return _as_json(row[0]).validate_json(row[1]) if row else None


def begin(tx: Tx, person: int, event: int) -> None:
    """The event's message stands in the queue now."""
    tx.execute(
        "UPDATE inbox SET state = 'begun' WHERE id = :event AND person_id = :person",
        {"event": event, "person": person},
    )


def finish(tx: Tx, person: int, event: int) -> None:
    """The event is dealt with."""
    tx.execute(
        "UPDATE inbox SET state = 'done' WHERE id = :event AND person_id = :person",
        {"event": event, "person": person},
    )


def postpone(tx: Tx, person: int, event: int, error: str) -> None:
    """The event could not be dealt with; it is tried again later."""
    tx.execute(
        "UPDATE inbox SET attempts = attempts + 1, error = :error"
        " WHERE id = :event AND person_id = :person",
        {"event": event, "person": person, "error": error},
    )


def bury(tx: Tx, person: int, event: int, error: str) -> None:
    """The event is given up; the row stays for the operator."""
    tx.execute(
        "UPDATE inbox SET state = 'dead', error = :error WHERE id = :event AND person_id = :person",
        {"event": event, "person": person, "error": error},
    )


def failures(tx: Tx, person: int) -> list[str]:
    """Why events of the person's were given up or have to be tried again."""
    rows = tx.execute(
        "SELECT error FROM inbox WHERE person_id = :person AND error IS NOT NULL"
        " AND state IN ('waiting', 'begun', 'dead') ORDER BY id",
        {"person": person},
    )
    return [str(error) for (error,) in rows]
