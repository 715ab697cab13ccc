"""Words of the program's own for people who did not ask for any just now."""

from collections.abc import Callable

from companion.clock import Clock
from companion.events import Notice
from companion.storage import inbox
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place

Announce = Callable[[InboxItem], None]
"""Hands an event that is committed to its lane."""


def put(tx: Tx, to: Place, name: str, text: str, clock: Clock) -> InboxItem | None:
    """A notice in the chat `to`, to be announced once it is committed.

    The same `name` given twice is one notice; None the second time.
    """
    now = clock.now()
    event = Notice(id=f"notice {name}", address=to.address, at=now, due=now, text=text)
    return inbox.add(tx, to, event, now)
