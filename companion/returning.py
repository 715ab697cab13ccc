"""A person who opens a chat that they know already has come back."""

from datetime import datetime

from companion.events import PersonReturned, PersonStarted, PlatformEvent
from companion.storage import inbox
from companion.storage.database import Tx
from companion.storage.people import Place


def came_back(tx: Tx, place: Place, event: PlatformEvent, now: datetime) -> PlatformEvent:
    """`event`, or that the person returned if they "start" a chat in which they wrote before."""
    if not isinstance(event, PersonStarted):
        return event
    last = inbox.last_received(tx, place.person, place.id)
    if last is None:
        return event
    return PersonReturned(
        id=event.id,
        address=event.address,
        sender=event.sender,
        at=event.at,
        away=now - last,
    )
