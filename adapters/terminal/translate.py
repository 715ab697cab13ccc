"""What a line in a terminal means to the companion."""

import uuid
from datetime import datetime

from companion.events import Address, MessageReceived, PersonStarted, Sender

PLATFORM = "terminal"
LEAVE = "/quit"


def address(person: Sender) -> Address:
    """Where `person` talks. One home may hold several people, each with a terminal of their own."""
    return Address(platform=PLATFORM, chat=person.user)


def to_event(line: str, *, person: Sender, at: datetime) -> MessageReceived | None:
    """What `line` means, or None: a blank one means nothing."""
    text = line.strip()
    if not text:
        return None
    return MessageReceived(
        id=uuid.uuid4().hex, address=address(person), sender=person, at=at, text=text
    )


def started(*, person: Sender, at: datetime) -> PersonStarted:
    """`person` opened a terminal. The id is always the same, so that only the first one counts."""
    return PersonStarted(id=f"{person.user} started", address=address(person), sender=person, at=at)
