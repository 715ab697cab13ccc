"""Whether a timed event that has fired still gets its turn, when its turn comes."""

from datetime import datetime

from companion.clock import Clock
from companion.events import TimerFired
from companion.storage import inbox, outbox, people, schedule, timing
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.timed.arriving import in_its_own_words, with_its_time
from companion.timed.purposes import Due, Fire, Purpose, Purposes, zone_of

MISSED_WORDS = (
    "I wasn't there when these were due, and now they are more than a day old:\n{}\n"
    "Tell me if you still want to be reminded."
)


def without_a_model(tx: Tx, item: InboxItem, words: str, now: datetime) -> str:
    """`words`, or for a timed event what was promised with it; nothing if nothing was."""
    if not isinstance(item.event, TimerFired):
        return words
    said = in_its_own_words(item.event)
    where = zone_of(people.get(tx, item.person).timezone)
    return with_its_time(said, item.event, now, where) if said else ""


class TimedTurns:
    """Looks at timed events once more before their turn: it may come long after they fired."""

    def __init__(self, db: Database, purposes: Purposes, clock: Clock) -> None:
        self._db = db
        self._purposes = purposes
        self._clock = clock

    def purpose(self, event: TimerFired) -> Purpose | None:
        """What `event` is for; None where that is nothing of its own."""
        return self._purposes.get(event.purpose)

    async def is_over(self, item: InboxItem, event: TimerFired) -> bool:
        """Whether the turn of `event` is not to be; it is closed then, with the reason."""

        def work(tx: Tx) -> bool:
            one = schedule.get(tx, item.person, event.schedule)
            why = self._why_not(tx, item, event, one) if one else "it is gone"
            if one is None and event.promised:
                return False
            if not why:
                return False
            if one is not None:
                now = self._clock.now()
                schedule.note(
                    tx, one, "gated", due_at=event.due, now=now, reason=why, event=item.id
                )
            inbox.finish(tx, item.person, item.id)
            return True

        return await self._db.write(work)

    def _why_not(self, tx: Tx, item: InboxItem, event: TimerFired, one: schedule.Scheduled) -> str:
        now = self._clock.now()
        if outbox.sent_texts(tx, item.person, item.id):
            return ""
        if one.state == "cancelled" and not item.begun:
            return "cancelled"
        if event.promised:
            return ""
        if people.is_unreachable(tx, item.person, item.conversation):
            return "the chat can't be reached"
        if event.until is not None and now >= event.until:
            return "too late: its turn did not come in time, or no model answered"
        due = Due(
            scheduled=one,
            at=event.due,
            zone=zone_of(people.get(tx, item.person).timezone),
            timing=timing.get(tx, item.person),
            now=now,
            claimed=True,
        )
        verdict = self._purposes.judge(tx, due)
        return "" if isinstance(verdict, Fire) else verdict.why
