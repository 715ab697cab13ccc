"""Due rows become events: claimed, written down and moved on, all in one transaction."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from companion.clock import Clock
from companion.event_text import local_time
from companion.events import TimerFired
from companion.storage import inbox, schedule
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place
from companion.storage.schedule import DueRow, Scheduled
from companion.timed.purposes import Delay, Due, Fire, Purpose, Purposes, Skip, until_of, zone_of

logger = logging.getLogger(__name__)

BATCH = 250
"""Rows claimed in one transaction, so that other writers come in between."""
SPREAD = timedelta(minutes=1)
"""What is late comes so far apart, to one person."""
LATE = timedelta(minutes=2)
"""From here on something is late: it says so, and gives way to others."""
MISSED = "missed"
"""The purpose of an event that tells of promised ones which nobody was there for."""


class Lane(Protocol):
    """Where events are dealt with, one of a person at a time."""

    def add(self, item: InboxItem) -> None:
        """Put `item` into its person's lane."""


class Firing:
    """Turns what is due into events."""

    def __init__(self, db: Database, *, purposes: Purposes, lanes: Lane, clock: Clock) -> None:
        self._db = db
        self._purposes = purposes
        self._lanes = lanes
        self._clock = clock

    async def fire_due(self) -> datetime | None:
        """Have everything happen that is due, and give the moment to look again; None for none."""
        while True:
            now = self._clock.now()
            following = await self._db.read(schedule.next_moment)
            if following is None or following > now:
                return following
            for item in await self._db.write(partial(claim, purposes=self._purposes, now=now)):
                self._lanes.add(item)


def claim(tx: Tx, purposes: Purposes, now: datetime) -> list[InboxItem]:
    """Claim a batch of what is due at `now`; gives the events that come of it.

    None of these rows is due at `now` any more, whatever became of it.
    """
    batch = _Batch(tx, purposes, now)
    for row in schedule.due(tx, now, BATCH):
        batch.take(row)
    return batch.fired()


@dataclass(frozen=True, slots=True)
class _Fired:
    """A time of something that came: its event, and its next time."""

    one: Scheduled
    place: Place
    event: TimerFired
    following: datetime | None


class _Batch:
    """Rows that are claimed together. What fires is written at once, in the end."""

    def __init__(self, tx: Tx, purposes: Purposes, now: datetime) -> None:
        self._tx = tx
        self._purposes = purposes
        self._now = now
        self._told: set[int] = set()
        """What was missed and has been told of with another."""
        self._fired: list[_Fired] = []
        self._tells: list[tuple[Place, TimerFired]] = []

    def fired(self) -> list[InboxItem]:
        """Write down what fired; gives the events, in the order in which they were due."""
        arrivals = [(each.place, each.event) for each in self._fired]
        items = inbox.add_all(self._tx, [*arrivals, *self._tells], self._now)
        numbers = {item.event.id: item.id for item in items}
        schedule.advance_all(
            self._tx, [(each.one, each.following, each.event.due) for each in self._fired]
        )
        schedule.note_fired(
            self._tx,
            [
                (each.one, each.event.due, numbers[each.event.id])
                for each in self._fired
                if each.event.id in numbers
            ],
            self._now,
        )
        return items

    def take(self, row: DueRow) -> None:
        """Have `row` happen, or wait, or be passed over."""
        one = row.scheduled
        if one.id in self._told:
            return
        try:
            at, following = one.rule.around(one.due_at, self._now)
        except (LookupError, ValueError, OSError) as error:  # a zone that is gone, a broken rule
            logger.error("event %d has no next time: %s", one.id, error)  # noqa: TRY400
            schedule.cancel(self._tx, one.person, one.id)
            self._note(one, "missed", one.due_at, f"its time can't be worked out: {error}")
            return
        if row.shut_out:
            self._pass_over(one, "gated", at, following, "shut out")
        elif not row.reachable:
            schedule.hold(self._tx, one)
            self._note(one, "delayed", at, "the chat can't be reached")
        else:
            self._take(row, at, following)

    def _take(self, row: DueRow, at: datetime, following: datetime | None) -> None:
        one = row.scheduled
        if at > one.due_at:
            self._note(one, "missed", one.due_at, "this and what followed, up to the latest")
        purpose = self._purposes.get(one.purpose)
        if purpose is not None and self._now - at > purpose.late:
            self._miss(row, purpose, at, following)
            return
        due = Due(scheduled=one, at=at, zone=zone_of(row.zone), timing=row.timing, now=self._now)
        self._judge(row, purpose, due, following)

    def _judge(
        self, row: DueRow, purpose: Purpose | None, due: Due, following: datetime | None
    ) -> None:
        one, at = row.scheduled, due.at
        verdict = self._purposes.judge(self._tx, due)
        if isinstance(verdict, Delay) and purpose and verdict.until - at > purpose.late:
            verdict = Skip(verdict.why)
        if isinstance(verdict, Skip) or purpose is None:
            assert isinstance(verdict, Skip)
            self._pass_over(one, "gated", at, following, verdict.why)
        elif isinstance(verdict, Delay):
            self._note(one, "delayed", at, verdict.why)
            schedule.look_again(self._tx, one, at, max(verdict.until, self._now + SPREAD))
        elif (turn := self._turn_of_theirs(one, at)) > self._now:
            schedule.look_again(self._tx, one, at, turn)
        else:
            self._fire(row, purpose, due, verdict, following)

    def _turn_of_theirs(self, one: Scheduled, at: datetime) -> datetime:
        """When something that is late may come, so that not everything comes at once."""
        if self._now - at <= LATE:
            return self._now
        if any(each.one.person == one.person for each in self._fired):
            return self._now + SPREAD
        last = schedule.last_fired(self._tx, one.person)
        # a clock that was set back is no reason to wait
        return last + SPREAD if last is not None and last <= self._now else self._now

    def _fire(
        self,
        row: DueRow,
        purpose: Purpose,
        due: Due,
        verdict: Fire,
        following: datetime | None,
    ) -> None:
        one = row.scheduled
        event = TimerFired(
            id=f"timer:{one.id}:{due.at.isoformat()}",
            address=row.place.address,
            at=self._now,
            due=due.at,
            text=one.text if verdict.text is None else verdict.text,
            purpose=purpose.name,
            schedule=one.id,
            cue=verdict.cue or purpose.cue,
            promised=purpose.promised,
            until=until_of(purpose, due),
        )
        self._fired.append(_Fired(one, row.place, event, following))

    def _miss(
        self, row: DueRow, purpose: Purpose, at: datetime, following: datetime | None
    ) -> None:
        """It is too late for `row`, and with it for others of that chat: say so once, if it was
        promised."""
        why = "too late: nothing ran, or nothing got through"
        if not purpose.promised:
            self._pass_over(row.scheduled, "missed", at, following, why)
            return
        missed = self._all_missed(row, purpose)
        for one, moment, after in missed:
            self._pass_over(one, "missed", moment, after, why)
            self._told.add(one.id)
        self._tell(row, [(one, moment) for one, moment, _ in missed])

    def _all_missed(
        self, row: DueRow, purpose: Purpose
    ) -> list[tuple[Scheduled, datetime, datetime | None]]:
        one = row.scheduled
        found = []
        for other in schedule.overdue(
            self._tx, one.person, one.conversation, self._now - purpose.late
        ):
            at, following = other.rule.around(other.due_at, self._now)
            if other.purpose == purpose.name and self._now - at > purpose.late:
                found.append((other, at, following))
        return found

    def _tell(self, row: DueRow, missed: list[tuple[Scheduled, datetime]]) -> None:
        zone = zone_of(row.zone)
        lines = [f"“{one.text}”, due {local_time(at, zone)}" for one, at in missed]
        event = TimerFired(
            id=f"timer:{MISSED}:{missed[0][0].id}:{missed[0][1].isoformat()}",
            address=row.place.address,
            at=self._now,
            due=missed[0][1],
            text="\n".join(lines),
            purpose=MISSED,
            cue="reminders that were missed; they are told so",
            promised=True,
        )
        self._tells.append((row.place, event))

    def _pass_over(
        self,
        one: Scheduled,
        outcome: schedule.Outcome,
        at: datetime,
        following: datetime | None,
        why: str,
    ) -> None:
        """Nothing comes of this time of it; go on to the next."""
        self._note(one, outcome, at, why)
        schedule.advance_all(self._tx, [(one, following, at)])

    def _note(self, one: Scheduled, outcome: schedule.Outcome, at: datetime, why: str) -> None:
        schedule.note(self._tx, one, outcome, due_at=at, now=self._now, reason=why)
