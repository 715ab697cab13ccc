"""Due rows become events: claimed, written down and moved on, all in one transaction."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from companion.clock import Clock
from companion.event_text import local_time
from companion.events import TimerFired
from companion.storage import access, inbox, schedule
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.schedule import DueRow, Scheduled
from companion.timed.purposes import Delay, Due, Fire, Purpose, Purposes, Skip, until_of, zone_of

logger = logging.getLogger(__name__)

BATCH = 100
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


@dataclass(slots=True)
class Claimed:
    """What came of a batch. `more` says that the next one is due as well."""

    items: list[InboxItem]
    more: bool


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
            claimed = await self._db.write(lambda tx: claim(tx, self._purposes, now))  # noqa: B023
            for item in claimed.items:
                self._lanes.add(item)
            if not claimed.more:
                return await self._db.read(schedule.next_moment)


def claim(tx: Tx, purposes: Purposes, now: datetime) -> Claimed:
    """Claim a batch of what is due at `now`."""
    rows = schedule.due(tx, now, BATCH)
    batch = _Batch(tx, purposes, now)
    for row in rows:
        batch.take(row)
    return Claimed(batch.items, len(rows) == BATCH)


class _Batch:
    """Rows that are claimed together."""

    def __init__(self, tx: Tx, purposes: Purposes, now: datetime) -> None:
        self._tx = tx
        self._purposes = purposes
        self._now = now
        self._told: set[int] = set()
        """What was missed and has been told of with another."""
        self.items: list[InboxItem] = []

    def take(self, row: DueRow) -> None:
        """Have `row` happen, or wait, or be passed over."""
        one = row.scheduled
        if one.id in self._told:
            return
        try:
            at = one.rule.latest(one.due_at, self._now)
        except (LookupError, ValueError, OSError) as error:  # a zone that is gone, a broken rule
            logger.error("event %d has no next time: %s", one.id, error)  # noqa: TRY400
            schedule.cancel(self._tx, one.person, one.id)
            self._note(one, "missed", one.due_at, f"its time can't be worked out: {error}")
            return
        if self._is_shut_out(row):
            self._note(one, "gated", at, "shut out")
            self._advance(one, at)
            return
        if not row.reachable:
            schedule.hold(self._tx, one)
            self._note(one, "delayed", at, "the chat can't be reached")
            return
        if at > one.due_at:
            self._note(one, "missed", one.due_at, "this and what followed, up to the latest")
        purpose = self._purposes.get(one.purpose)
        if purpose is not None and self._now - at > purpose.late:
            self._miss(row, purpose, at)
            return
        due = Due(scheduled=one, at=at, zone=zone_of(row.zone), timing=row.timing, now=self._now)
        self._judge(row, purpose, due)

    def _is_shut_out(self, row: DueRow) -> bool:
        address = row.place.address
        return address.private and access.has_no_way_in(
            self._tx, row.place.person, address.platform
        )

    def _judge(self, row: DueRow, purpose: Purpose | None, due: Due) -> None:
        one, at = row.scheduled, due.at
        verdict = self._purposes.judge(self._tx, due)
        if isinstance(verdict, Delay) and purpose and verdict.until - at > purpose.late:
            verdict = Skip(verdict.why)
        if isinstance(verdict, Skip) or purpose is None:
            assert isinstance(verdict, Skip)
            self._note(one, "gated", at, verdict.why)
            self._advance(one, at)
        elif isinstance(verdict, Delay):
            self._note(one, "delayed", at, verdict.why)
            schedule.look_again(self._tx, one, at, max(verdict.until, self._now + SPREAD))
        elif (turn := self._turn_of_theirs(one, at)) > self._now:
            schedule.look_again(self._tx, one, at, turn)
        else:
            self._fire(row, purpose, due, verdict)

    def _turn_of_theirs(self, one: Scheduled, at: datetime) -> datetime:
        """When something that is late may come, so that not everything comes at once."""
        if self._now - at <= LATE:
            return self._now
        last = schedule.last_fired(self._tx, one.person)
        # a clock that was set back is no reason to wait
        return last + SPREAD if last is not None and last <= self._now else self._now

    def _fire(self, row: DueRow, purpose: Purpose, due: Due, verdict: Fire) -> None:
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
        item = inbox.add(self._tx, row.place, event, self._now)
        if item is not None:
            self.items.append(item)
            self._note(one, "fired", due.at, event=item.id)
        self._advance(one, due.at)

    def _miss(self, row: DueRow, purpose: Purpose, at: datetime) -> None:
        """It is too late for `row`, and with it for others of that chat: say so once, if it was
        promised."""
        missed = [(row.scheduled, at)]
        if purpose.promised:
            missed = self._all_missed(row, purpose)
        for one, moment in missed:
            self._note(one, "missed", moment, "too late: nothing ran, or nothing got through")
            self._advance(one, moment)
            self._told.add(one.id)
        if purpose.promised:
            self._tell(row, missed)

    def _all_missed(self, row: DueRow, purpose: Purpose) -> list[tuple[Scheduled, datetime]]:
        one = row.scheduled
        found = []
        for other in schedule.overdue(
            self._tx, one.person, one.conversation, self._now - purpose.late
        ):
            at = other.rule.latest(other.due_at, self._now)
            if other.purpose == purpose.name and self._now - at > purpose.late:
                found.append((other, at))
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
        item = inbox.add(self._tx, row.place, event, self._now)
        if item is not None:
            self.items.append(item)

    def _advance(self, one: Scheduled, at: datetime) -> None:
        """Go on to the next time after `at`, and after now."""
        last_day = one.rule.local_day(at)
        following = one.rule.next(max(at, self._now), last_day)
        schedule.advance(self._tx, one, following, last_day)

    def _note(
        self,
        one: Scheduled,
        outcome: schedule.Outcome,
        at: datetime,
        reason: str = "",
        event: int | None = None,
    ) -> None:
        schedule.note(self._tx, one, outcome, due_at=at, now=self._now, reason=reason, event=event)
