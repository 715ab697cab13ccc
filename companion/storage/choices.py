"""What can be chosen by pressing a button below a message, and which button was pressed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import TypeAdapter

from companion.choices import Reference
from companion.events import Address, Choice
from companion.storage.database import Tx

OPEN_FOR = timedelta(days=3)
"""A question that is older is over: who asked for something then may not mean it any more."""

_choices: TypeAdapter[tuple[Choice, ...]] = TypeAdapter(tuple[Choice, ...])


def to_json(choices: Sequence[Choice]) -> str | None:
    """`choices` as they are stored; None for none."""
    return _choices.dump_json(tuple(choices)).decode() if choices else None


def from_json(stored: str | None) -> tuple[Choice, ...]:
    """What `to_json` made of choices."""
    return _choices.validate_json(stored) if stored else ()


def last_choices(tx: Tx, person: int, conversation: int, now: datetime) -> tuple[Choice, ...]:
    """The buttons below what was said last in the conversation; none if that is long ago."""
    row = tx.execute(
        "SELECT choices, created_at FROM outbox WHERE person_id = :person"
        " AND conversation_id = :conversation ORDER BY id DESC LIMIT 1",
        {"person": person, "conversation": conversation},
    ).fetchone()
    if row is None or now - datetime.fromisoformat(row[1]) > OPEN_FOR:
        return ()
    return from_json(row[0])


def chosen(tx: Tx, address: Address, reference: Reference, now: datetime) -> Choice | None:
    """What the button with this reference stands for, below a message that was sent to `address`.

    None for a question that is over, or that nobody asked there.
    """
    row = tx.execute(
        "SELECT outbox.choices, outbox.created_at FROM conversation"
        " JOIN outbox ON outbox.conversation_id = conversation.id"
        " AND outbox.person_id = conversation.person_id"
        " WHERE conversation.platform = :platform AND conversation.chat = :chat"
        " AND conversation.thread = :thread AND outbox.id = :message",
        {
            "platform": address.platform,
            "chat": address.chat,
            "thread": address.thread or "",
            "message": reference.message,
        },
    ).fetchone()
    if row is None or now - datetime.fromisoformat(row[1]) > OPEN_FOR:
        return None
    return reference.among(from_json(row[0]))
