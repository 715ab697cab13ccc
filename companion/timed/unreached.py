"""What was promised and did not get through waits until the person is back."""

from datetime import datetime

from companion.events import TimerFired
from companion.storage import inbox, schedule
from companion.storage.database import Tx
from companion.storage.outbox import OutboxItem
from companion.storage.people import Place
from companion.timed.firing import MISSED
from companion.timed.recurrence import Rule


def keep_for_return(tx: Tx, item: OutboxItem, now: datetime) -> None:
    """Have the event that `item` was said for come again, with the next message from its chat.

    It is what tells us that the chat can't be reached: what is due after it is not even tried.
    """
    answered = inbox.begun_by(tx, item.person, item.id)
    if answered is None:
        return
    event = answered.event
    if not isinstance(event, TimerFired) or not event.promised or event.purpose == MISSED:
        return
    again = schedule.add(
        tx,
        Place(item.conversation, item.person, item.message.address),
        purpose=event.purpose,
        text=event.text,
        rule=Rule(repeats="once", at=event.due),
        due_at=event.due,
        now=now,
        event=answered.id,
    )
    schedule.hold(tx, again)
