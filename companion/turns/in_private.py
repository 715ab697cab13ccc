"""What was asked for in a group and is for one person's eyes, asked again in their private chat."""

from dataclasses import dataclass
from datetime import datetime

from companion.events import MessageReceived, TimerFired
from companion.storage import inbox, people
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """Whether the sender has a private chat, and the event there; None when it was there before."""

    known: bool
    item: InboxItem | None = None


def ask_in_private(tx: Tx, item: InboxItem, text: str, now: datetime) -> AskedAgain:
    """Put `text` into the private chat of whoever sent `item`, as their own message."""
    event = item.event
    if isinstance(event, TimerFired):
        return AskedAgain(False)
    place = people.private_place(tx, item.address.platform, event.sender.user)
    if place is None:
        return AskedAgain(False)
    again = MessageReceived(
        id=f"{event.id} in private",
        address=place.address,
        sender=event.sender,
        at=event.at,
        text=text,
    )
    return AskedAgain(True, inbox.add(tx, place, again, now))
