"""What timed events are for, and what is true of each kind: how late it may be, what shuts it out.

A new kind is one `Purpose`, added to the `Purposes` that `app.py` builds.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.schedule import Scheduled
from companion.storage.timing import Timing
from companion.timed.quiet import end_of_quiet, next_quiet


@dataclass(frozen=True, slots=True)
class Fire:
    """It happens. `text` and `cue`, where given, stand for what was scheduled."""

    text: str | None = None
    cue: str | None = None


@dataclass(frozen=True, slots=True)
class Delay:
    """It is looked at again at `until`, if it may still be so late then."""

    until: datetime
    why: str


@dataclass(frozen=True, slots=True)
class Skip:
    """It does not happen this time."""

    why: str


Verdict = Fire | Delay | Skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Something that is due at `at`, as a gate judges it at `now`.

    `claimed` is true when it has fired, and its turn is about to begin: later than it fired where
    the person's lane was busy, or no model answered.
    """

    scheduled: Scheduled
    at: datetime
    zone: ZoneInfo
    timing: Timing
    now: datetime
    claimed: bool = False


Gate = Callable[[Tx, Due], Verdict]
"""Judges in code, before any model is asked. It may read and write, in the transaction that fires
the event or notes why not."""


def always(_tx: Tx, _due: Due) -> Verdict:
    """The gate that is never shut."""
    return Fire()


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """A kind of timed event.

    It may happen `late` after its time, else it is missed. What is `promised` always arrives, if
    need be in the words that were scheduled; of anything else the person hears nothing when no
    model answers. `quiet` says whether it keeps to the person's quiet hours. `cue` tells the model
    what to do. `run`, where given, takes the place of a turn: the event is closed when it returns.
    """

    name: str
    late: timedelta
    cue: str = "it is time for this"
    promised: bool = False
    quiet: bool = True
    gate: Gate = always
    run: Callable[[InboxItem], Awaitable[None]] | None = None


class Purposes:
    """Every kind of timed event that there is."""

    def __init__(self, purposes: Iterable[Purpose]) -> None:
        self._by_name = {purpose.name: purpose for purpose in purposes}

    def __iter__(self) -> Iterator[Purpose]:
        return iter(self._by_name.values())

    def get(self, name: str) -> Purpose | None:
        """The kind of this name, None where a newer program knows it and this one does not."""
        return self._by_name.get(name)

    def judge(self, tx: Tx, due: Due) -> Verdict:
        """Whether `due` happens now.

        What its kind allows: a pause and quiet hours first, and then the gate of that kind.
        """
        purpose = self.get(due.scheduled.purpose)
        if purpose is None:
            return Skip(f"nothing here knows what “{due.scheduled.purpose}” is for")
        if purpose.quiet and due.timing.paused(due.now):
            return Skip("paused")
        if purpose.quiet and due.timing.quiet is not None:
            end = end_of_quiet(due.timing.quiet, due.now, due.zone)
            if end is not None:
                return Delay(end, f"quiet hours {due.timing.quiet}")
        return purpose.gate(tx, due)


def zone_of(name: str | None) -> ZoneInfo:
    """The zone called `name`; UTC while it is unknown, or known to nobody here."""
    try:
        return ZoneInfo(name or "UTC")
    except (LookupError, ValueError, OSError):
        return ZoneInfo("UTC")


def until_of(purpose: Purpose, due: Due) -> datetime | None:
    """After which moment what is said for `due` comes too late; None for never."""
    if purpose.promised:
        return None
    until = max(due.at + purpose.late, due.now + LEAST)
    begin = next_quiet(due.timing.quiet, due.now, due.zone) if due.timing.quiet else None
    if purpose.quiet and begin is not None:
        until = min(until, begin)
    return until.astimezone(UTC)


LEAST = timedelta(minutes=5)
"""A turn that has begun gets so long to come to an end."""
