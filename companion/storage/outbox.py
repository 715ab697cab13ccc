"""What is to be delivered, a row a piece, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from companion.events import Address, Choice, Document, OutgoingMessage, TimerFired
from companion.storage import choices as stored_choices
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxItem:
    """A message of one person's to deliver. `attempts` counts sends whose fate is unknown.

    `marked` says that the next send is written down already, though not counted in `attempts`.
    After `expires_at` it comes too late, and is not sent.
    """

    id: int
    person: int
    conversation: int
    message: OutgoingMessage
    attempts: int = 0
    marked: bool = False
    expires_at: datetime | None = None


def add(
    tx: Tx,
    to: InboxItem,
    text: str,
    *,
    now: datetime,
    notice: bool = False,
    choices: Sequence[Choice] = (),
    reacts_to: str | None = None,
    document: Document | None = None,
) -> OutboxItem:
    """Put `text` behind what was sent for the event `to` so far, with buttons for `choices`.

    A `notice` is a word from the program itself, and no answer. With `reacts_to`, the platform's
    id of a message, `text` is an emoji to put to that one.
    """
    timed = to.event if isinstance(to.event, TimerFired) else None
    in_reply = timed is None or timed.promised
    expires = timed.until if timed else None
    row = tx.execute(
        "INSERT INTO outbox"
        " (person_id, conversation_id, event_id, part, text, notice, in_reply, expires_at,"
        " created_at, choices, reacts_to, document, document_name)"
        " SELECT :person, :conversation, :event, COUNT(*), :text, :notice, :in_reply, :expires,"
        " :now, :choices, :reacts_to, :document, :name"
        " FROM outbox WHERE event_id = :event AND person_id = :person RETURNING id",
        {
            "person": to.person,
            "conversation": to.conversation,
            "event": to.id,
            "text": text,
            "notice": notice,
            "in_reply": in_reply,
            "expires": expires.isoformat() if expires else None,
            "now": now.isoformat(),
            "choices": stored_choices.to_json(choices),
            "reacts_to": reacts_to,
            "document": document.content if document else None,
            "name": document.name if document else None,
        },
    ).fetchone()
    message = OutgoingMessage(
        id=row[0],
        address=to.address,
        text=text,
        in_reply=in_reply,
        answers=_answers(to),
        cause=to.event.id,
        choices=tuple(choices),
        reacts_to=reacts_to,
        document=document,
    )
    return OutboxItem(
        id=row[0],
        person=to.person,
        conversation=to.conversation,
        message=message,
        expires_at=expires,
    )


def kept_nowhere(to: InboxItem, text: str) -> OutboxItem:
    """A last word to somebody of whom no row is left: it is sent, and kept nowhere."""
    message = OutgoingMessage(id=0, address=to.address, text=text, cause=to.event.id)
    return OutboxItem(id=0, person=to.person, conversation=to.conversation, message=message)


def expire(tx: Tx, item: OutboxItem, at: datetime) -> OutboxItem:
    """`item`, which comes too late after `at`, if it does not earlier."""
    at = min(at, item.expires_at or at)
    tx.execute(
        "UPDATE outbox SET expires_at = :at WHERE id = :id AND person_id = :person",
        {"at": at.isoformat(), "id": item.id, "person": item.person},
    )
    return replace(item, expires_at=at)


def _answers(to: InboxItem) -> str | None:
    """The message that is answered; in private that goes without saying."""
    return None if to.address.private else getattr(to.event, "message", None) or None


def open_items(tx: Tx) -> list[OutboxItem]:
    """What is not delivered, of everybody, oldest first. Only for the start of the program."""
    rows = tx.execute(
        "SELECT outbox.id, outbox.person_id, outbox.conversation_id, outbox.text,"
        " outbox.in_reply, outbox.attempts, conversation.platform, conversation.chat,"
        " conversation.thread, conversation.private, outbox.pieces_sent, inbox.message,"
        " inbox.external_id, outbox.choices, outbox.expires_at, outbox.reacts_to,"
        " outbox.document_name, outbox.document"
        " FROM outbox JOIN conversation ON conversation.id = outbox.conversation_id"
        " AND conversation.person_id = outbox.person_id"
        " JOIN inbox ON inbox.id = outbox.event_id AND inbox.person_id = outbox.person_id"
        " WHERE outbox.state IN ('waiting', 'sending') ORDER BY outbox.id"
    )
    return [
        OutboxItem(
            id=row[0],
            person=row[1],
            conversation=row[2],
            message=OutgoingMessage(
                id=row[0],
                address=Address(
                    platform=row[6], chat=row[7], thread=row[8] or None, private=bool(row[9])
                ),
                text=row[3],
                in_reply=bool(row[4]),
                piece=row[10],
                answers=None if row[9] else row[11],
                cause=row[12],
                choices=stored_choices.from_json(row[13]),
                reacts_to=row[15],
                document=Document(row[16], row[17]) if row[17] is not None else None,
            ),
            attempts=row[5],
            expires_at=datetime.fromisoformat(row[14]) if row[14] else None,
        )
        for row in rows
    ]


def sent_texts(tx: Tx, person: int, event: int) -> list[str]:
    """What the companion said for the event, in order; reactions are not said."""
    rows = tx.execute(
        "SELECT text FROM outbox WHERE event_id = :event AND person_id = :person"
        " AND notice = 0 AND reacts_to IS NULL ORDER BY part",
        {"event": event, "person": person},
    )
    return [row[0] for row in rows]


@dataclass(frozen=True, slots=True)
class Answer:
    """When something was first said after an event, and for which event that was."""

    created_at: datetime
    event: int


def first_answer(tx: Tx, person: int, conversation: int, event: int) -> Answer | None:
    """The first that was said in the conversation for `event` or a later one.

    Notices and reactions are no answers.
    """
    row = tx.execute(
        "SELECT created_at, event_id FROM outbox WHERE person_id = :person"
        " AND conversation_id = :conversation AND event_id >= :event AND notice = 0"
        " AND reacts_to IS NULL"
        " ORDER BY event_id, part LIMIT 1",
        {"person": person, "conversation": conversation, "event": event},
    ).fetchone()
    return Answer(datetime.fromisoformat(row[0]), row[1]) if row else None


def as_it_is(tx: Tx, item: OutboxItem) -> OutboxItem:
    """`item` as its person's, who may have become another's while it was on its way."""
    row = tx.execute(
        "SELECT person_id FROM outbox"
        " WHERE id = :id AND conversation_id = :conversation AND text = :text",
        {"id": item.id, "conversation": item.conversation, "text": item.message.text},
    ).fetchone()
    return replace(item, person=row[0]) if row else item


def sending(tx: Tx, item: OutboxItem) -> None:
    """The piece is about to be handed to the platform: from now on its fate is unknown."""
    tx.execute(
        "UPDATE outbox SET state = 'sending', attempts = attempts + 1"
        " WHERE id = :id AND person_id = :person",
        {"id": item.id, "person": item.person},
    )


def waiting(tx: Tx, item: OutboxItem) -> None:
    """The platform said that it did not take the piece; it is tried again."""
    tx.execute(
        "UPDATE outbox SET state = 'waiting', attempts = attempts - 1"
        " WHERE id = :id AND person_id = :person",
        {"id": item.id, "person": item.person},
    )


def has_reacted(tx: Tx, person: int, event: int) -> bool:
    """Whether an emoji was put to the event's message."""
    row = tx.execute(
        "SELECT COUNT(*) FROM outbox WHERE event_id = :event AND person_id = :person"
        " AND reacts_to IS NOT NULL",
        {"event": event, "person": person},
    ).fetchone()
    return bool(row[0])


def delivered(tx: Tx, item: OutboxItem, message: str) -> None:
    """The platform calls the piece `message` that it has now."""
    tx.execute(
        "INSERT INTO delivered (conversation_id, message, person_id, outbox_id)"
        " SELECT conversation_id, :message, person_id, id FROM outbox"
        " WHERE id = :id AND person_id = :person ON CONFLICT DO NOTHING",
        {"message": message, "person": item.person, "id": item.id},
    )


def text_of(tx: Tx, person: int, platform: str, chat: str, message: str) -> str | None:
    """What the companion said with the message that the platform calls `message`."""
    row = tx.execute(
        "SELECT outbox.text FROM conversation"
        " JOIN delivered ON delivered.conversation_id = conversation.id"
        " AND delivered.person_id = conversation.person_id"
        " JOIN outbox ON outbox.id = delivered.outbox_id"
        " WHERE conversation.person_id = :person AND conversation.platform = :platform"
        " AND conversation.chat = :chat AND delivered.message = :message",
        {"person": person, "platform": platform, "chat": chat, "message": message},
    ).fetchone()
    return row[0] if row else None


def piece_sent(tx: Tx, item: OutboxItem) -> None:
    """The platform has one more piece of the message; the next one may be sent."""
    tx.execute(
        "UPDATE outbox SET state = 'waiting', attempts = 0, pieces_sent = :sent"
        " WHERE id = :id AND person_id = :person",
        {"id": item.id, "person": item.person, "sent": item.message.piece + 1},
    )


def sent(tx: Tx, item: OutboxItem, now: datetime) -> None:
    """The platform has it."""
    tx.execute(
        "UPDATE outbox SET state = 'sent', sent_at = :now, document = NULL"
        " WHERE id = :id AND person_id = :person",
        {"id": item.id, "person": item.person, "now": now.isoformat()},
    )


def refused(tx: Tx, item: OutboxItem, error: str) -> None:
    """The platform will not take it, or its fate stays unknown."""
    tx.execute(
        "UPDATE outbox SET state = 'refused', error = :error, document = NULL"
        " WHERE id = :id AND person_id = :person",
        {"id": item.id, "person": item.person, "error": error},
    )


def forget_notices(tx: Tx, person: int, since: int) -> None:
    """Take the words out of what the program itself told for the event `since` and later ones:
    answers to commands quote. What is still to be sent goes out."""
    tx.execute(
        "UPDATE outbox SET text = '', choices = NULL WHERE person_id = :person"
        " AND event_id >= :since AND notice AND state IN ('sent', 'refused')",
        {"person": person, "since": since},
    )


def forget(tx: Tx, person: int, event: int) -> None:
    """Delete what was sent, or was to be sent, for the event."""
    tx.execute(
        "DELETE FROM delivered WHERE person_id = :person AND outbox_id IN"
        " (SELECT id FROM outbox WHERE event_id = :event AND person_id = :person)",
        {"event": event, "person": person},
    )
    tx.execute(
        "DELETE FROM outbox WHERE event_id = :event AND person_id = :person",
        {"event": event, "person": person},
    )
