"""What a person wants of openers, the openers themselves, and what came of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from pydantic import TypeAdapter

from companion.openers.candidates import About
from companion.storage import access
from companion.storage.database import Tx

Wish = Literal["off", "on", "often", "rarely"]

UNSETTLED = 10
"""Openers whose answer is looked for; it comes to the newest or to none."""

_about = TypeAdapter(About)
_offered = TypeAdapter(tuple[About, ...])


@dataclass(frozen=True, slots=True)
class Wished:
    """What a person said of openers; `wish` is None while they said nothing. `offered_at` is when
    the companion was told to ask them."""

    wish: Wish | None = None
    wished_at: datetime | None = None
    offered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """Something that the companion wrote first. `sent_at` is None while it is not known to have
    arrived. `reaction` is the emoji, where the answer was one."""

    event: int
    text: str
    about: About | None
    written_at: datetime
    sent_at: datetime | None
    answered_at: datetime | None
    reaction: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """When either side last spoke, and what waits. `busy` is as `is_busy` says, `under_way`
    that an opener has not arrived yet."""

    heard: datetime | None
    said: datetime | None
    busy: bool
    under_way: bool


def wished(tx: Tx, person: int) -> Wished:
    """What the person wants."""
    row = tx.execute(
        "SELECT wish, wished_at, offered_at FROM opener_wish WHERE person_id = :person",
        {"person": person},
    ).fetchone()
    if row is None:
        return Wished()
    return Wished(cast(Wish | None, row[0]), _moment(row[1]), _moment(row[2]))


def set_wish(tx: Tx, person: int, wish: Wish, now: datetime) -> None:
    """Remember what the person wants."""
    tx.execute(
        "INSERT INTO opener_wish (person_id, wish, wished_at) VALUES (:person, :wish, :now)"
        " ON CONFLICT (person_id) DO UPDATE SET wish = :wish, wished_at = :now",
        {"person": person, "wish": wish, "now": now.isoformat()},
    )


def set_offered(tx: Tx, person: int, now: datetime) -> None:
    """The companion was told to ask the person."""
    tx.execute(
        "INSERT INTO opener_wish (person_id, offered_at) VALUES (:person, :now)"
        " ON CONFLICT (person_id) DO UPDATE SET offered_at = :now",
        {"person": person, "now": now.isoformat()},
    )


def asked(tx: Tx, person: int, event: int, offered: Sequence[About], now: datetime) -> None:
    """The model is about to be asked, in the turn of `event`, with this put before it."""
    tx.execute(
        "INSERT INTO opener (event_id, person_id, asked_at, offered)"
        " VALUES (:event, :person, :now, :offered) ON CONFLICT (event_id) DO NOTHING",
        {
            "event": event,
            "person": person,
            "now": now.isoformat(),
            "offered": _offered.dump_json(tuple(offered)).decode(),
        },
    )


def offered(tx: Tx, person: int, event: int) -> tuple[About, ...] | None:
    """What was put before the model in the turn of `event`; None before it was asked."""
    row = tx.execute(
        "SELECT offered FROM opener WHERE event_id = :event AND person_id = :person",
        {"event": event, "person": person},
    ).fetchone()
    return _offered.validate_json(row[0]) if row else None


def wrote(tx: Tx, person: int, event: int, about: About, outbox: int) -> None:
    """The model wrote about this."""
    tx.execute(
        "UPDATE opener SET state = 'sent', about = :about, outbox_id = :outbox"
        " WHERE event_id = :event AND person_id = :person",
        {
            "about": _about.dump_json(about).decode(),
            "outbox": outbox,
            "event": event,
            "person": person,
        },
    )


def silent(tx: Tx, person: int, event: int, reason: str) -> None:
    """Nothing was written in the turn of `event`."""
    tx.execute(
        "UPDATE opener SET state = 'silent', reason = :reason"
        " WHERE event_id = :event AND person_id = :person AND state = 'asked'",
        {"reason": reason, "event": event, "person": person},
    )


def latest(tx: Tx, person: int, number: int) -> list[Opener]:
    """The last openers that were sent or may have been, the newest first."""
    rows = tx.execute(
        "SELECT opener.event_id, message.said, opener.about, outbox.created_at, outbox.sent_at,"
        " opener.answered_at, opener.reaction"
        " FROM opener JOIN outbox ON outbox.id = opener.outbox_id"
        " AND outbox.person_id = opener.person_id"
        " JOIN message ON message.event_id = opener.event_id"
        " AND message.person_id = opener.person_id AND message.kind = 'result'"
        " AND message.said <> ''"
        " WHERE opener.person_id = :person AND (outbox.state <> 'refused' OR outbox.attempts > 0)"
        " ORDER BY opener.event_id DESC LIMIT :number",
        {"person": person, "number": number},
    )
    return [
        Opener(
            event=row[0],
            text=row[1],
            about=_about.validate_json(row[2]) if row[2] else None,
            written_at=datetime.fromisoformat(row[3]),
            sent_at=_moment(row[4]),
            answered_at=_moment(row[5]),
            reaction=row[6],
        )
        for row in rows.fetchall()
    ]


def silences(tx: Tx, person: int, since: datetime) -> int:
    """How often the model was asked since then and wrote nothing."""
    row = tx.execute(
        "SELECT COUNT(*) FROM opener WHERE person_id = :person AND state = 'silent'"
        " AND asked_at >= :since",
        {"person": person, "since": since.isoformat()},
    ).fetchone()
    return int(row[0])


def is_busy(tx: Tx, person: int) -> bool:
    """Whether something that came from the person waits or is being dealt with."""
    row = tx.execute(
        "SELECT EXISTS (SELECT 1 FROM inbox WHERE person_id = :person"
        " AND state IN ('waiting', 'begun') AND kind <> 'TimerFired')",
        {"person": person},
    ).fetchone()
    return bool(row[0])


def is_shut_out(tx: Tx, person: int, conversation: int) -> bool:
    """Whether the person may no longer talk on the platform of this conversation."""
    row = tx.execute(
        "SELECT platform FROM conversation WHERE id = :conversation AND person_id = :person",
        {"conversation": conversation, "person": person},
    ).fetchone()
    return row is None or access.has_no_way_in(tx, person, row[0])


def talk(tx: Tx, person: int) -> Talk:
    """How the talk with the person stands."""
    under_way = tx.execute(
        "SELECT EXISTS (SELECT 1 FROM outbox JOIN opener ON opener.outbox_id = outbox.id"
        " AND opener.person_id = outbox.person_id"
        " WHERE outbox.person_id = :person AND outbox.state IN ('waiting', 'sending'))",
        {"person": person},
    ).fetchone()[0]
    return Talk(
        heard=_last(tx, person, "event"),
        said=_last(tx, person, "result"),
        busy=is_busy(tx, person),
        under_way=bool(under_way),
    )


def settle(tx: Tx, person: int) -> None:
    """Write down what came of openers: the first that the person wrote after each, or an emoji
    that they put to it."""
    rows = tx.execute(
        "SELECT event_id, outbox_id FROM opener WHERE person_id = :person AND state = 'sent'"
        " AND answered_at IS NULL ORDER BY event_id DESC LIMIT :most",
        {"person": person, "most": UNSETTLED},
    ).fetchall()
    for event, outbox in rows:
        answer = _answer(tx, person, event, outbox)
        if answer is not None:
            at, emoji = answer
            tx.execute(
                "UPDATE opener SET answered_at = :at, reaction = :emoji"
                " WHERE event_id = :event AND person_id = :person",
                {"at": at, "emoji": emoji, "event": event, "person": person},
            )


def _answer(tx: Tx, person: int, event: int, outbox: int) -> tuple[str, str | None] | None:
    """When the person answered the opener of `event`, and with which emoji if it was one.

    An emoji at another message is no answer to this one.
    """
    row = tx.execute(
        "SELECT message.said_at, iif(inbox.kind = 'ReactionReceived',"
        "   json_extract(inbox.body, '$.emoji'), NULL)"
        " FROM message JOIN inbox ON inbox.id = message.event_id"
        " AND inbox.person_id = message.person_id"
        " WHERE message.person_id = :person AND message.kind = 'event' AND message.speaker <> ''"
        " AND message.id > (SELECT MAX(id) FROM message WHERE event_id = :event"
        "   AND person_id = :person)"
        " AND (inbox.kind <> 'ReactionReceived' OR (json_extract(inbox.body, '$.removed') IS NOT 1"
        "   AND json_extract(inbox.body, '$.message') IN (SELECT message FROM delivered"
        "     WHERE outbox_id = :outbox AND person_id = :person)))"
        " ORDER BY message.id LIMIT 1",
        {"person": person, "event": event, "outbox": outbox},
    ).fetchone()
    return (row[0], row[1]) if row else None


def _last(tx: Tx, person: int, kind: Literal["event", "result"]) -> datetime | None:
    """When the person (event) or the companion (result) last said or did something."""
    row = tx.execute(
        "SELECT said_at FROM message WHERE person_id = :person AND kind = :kind"
        " AND speaker <> '' ORDER BY id DESC LIMIT 1",
        {"person": person, "kind": kind},
    ).fetchone()
    return _moment(row[0]) if row else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
