"""A person who opens a chat that they know already, or writes after a while, has come back."""

from dataclasses import replace
from datetime import datetime, timedelta

from companion.events import MessageReceived, PersonReturned, PersonStarted, PlatformEvent
from companion.storage import inbox, messages
from companion.storage.database import Tx
from companion.storage.people import Place

LONG = timedelta(days=3)
"""Who writes after so long has been away."""


def came_back(tx: Tx, place: Place, event: PlatformEvent, now: datetime) -> PlatformEvent:
    """`event` with how long the person was away, if they were.

    Who "starts" a chat in which they wrote before returned to it.
    """
    if isinstance(event, MessageReceived):
        heard = messages.last_heard(tx, place.person)
        away = now - heard if heard is not None else timedelta(0)
        return replace(event, away=away) if away >= LONG else event
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
