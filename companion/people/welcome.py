"""A first word to somebody who was let in from the command line.

That is another program, which can't hand anything to the companion that runs: it leaves a timed
event for it, which is found within seconds, or at the next start.
"""

from datetime import timedelta

from companion.clock import Clock
from companion.events import Sender
from companion.people.access import Access
from companion.people.pairing import Approved
from companion.storage import people, schedule
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.timed.purposes import Purpose
from companion.timed.recurrence import Rule
from companion.turns.answering import Answering

WELCOME = "welcome"
LATE = timedelta(days=7)


def leave(tx: Tx, approved: Approved, clock: Clock) -> None:
    """Have the companion say hello, if it is known where."""
    if approved.chat is None:
        return
    now = clock.now()
    sender = Sender(user=approved.user, name=approved.person.name)
    there = people.place(tx, approved.chat, sender, now)
    rule = Rule(repeats="once", at=now)
    schedule.add(tx, there, purpose=WELCOME, text="", rule=rule, due_at=now, now=now)


def purpose(access: Access, answering: Answering) -> Purpose:
    """The kind of timed event that says it, unless they wrote first and were told then."""

    async def say(item: InboxItem) -> None:
        await answering.answer(item, lambda tx: access.hello_words(tx, item.person, item.address))

    return Purpose(name=WELCOME, late=LATE, quiet=False, run=say)
