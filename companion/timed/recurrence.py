"""When something happens that happens again: local dates with a wall time, and instants.

The next time is a local date and the wall time on it. A time that a clock skips moves on with the
clock, one that comes twice is taken the first time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import count, islice, pairwise
from typing import Literal
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

Repeats = Literal["once", "daily", "weekdays", "weekly", "monthly", "yearly", "cron"]

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
SATURDAY = 5
DECEMBER = 12
FAR = 2000
"""So many days are looked at for a next time; none of ours is rarer than every four years."""
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
COMPARED = 200
"""So many times of a cron expression are looked at for its shortest gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When something happens.

    Either at the instant `at`, which stays where it is wherever the person goes; or at `wall_time`
    on the clock of `zone`, on `first_day` and then every `every` days, weeks, months or years; or
    as `cron` says, on the clock of `zone`. Of the 31st of a shorter month its last day remains, of
    the 29th of February the 28th.
    """

    repeats: Repeats
    at: datetime | None = None
    first_day: date | None = None
    wall_time: time | None = None
    zone: str | None = None
    every: int = 1
    cron: str = ""

    def next(self, after: datetime, last_day: date | None = None) -> datetime | None:
        """The first time after `after`, in UTC, and after the local date `last_day`; None for
        never again."""
        if self.at is not None:
            return self.at if last_day is None and self.at > after else None
        assert self.zone is not None
        zone = ZoneInfo(self.zone)
        if self.repeats == "cron":
            return _next_of_cron(self.cron, after, zone)
        assert self.wall_time is not None
        from_day = _local_day(after, zone) - DAY  # a time that moved on may lie on the next date
        if last_day is not None:
            from_day = max(from_day, last_day + DAY)
        for day in islice(self._days(from_day), FAR):
            moment = instant(day, self.wall_time, zone)
            if moment is not None and moment > after:
                return moment
        return None

    def around(self, due: datetime, now: datetime) -> tuple[datetime, datetime | None]:
        """The last time up to `now` and the one after it; `due` is one of its times, and has come.

        None stands for never again.
        """
        latest, following = due, self.next(due, self.local_day(due))
        if following is None or following > now:
            return latest, following
        for back in (timedelta(days=8), timedelta(days=1), timedelta(hours=1)):
            moment = self.next(now - back)
            if moment is not None and latest < moment <= now:
                latest = moment
        while (following := self.next(latest, self.local_day(latest))) and following <= now:
            latest = following
        return latest, following

    def local_day(self, moment: datetime) -> date | None:
        """The local date of `moment` by this rule's own clock; None where it has none."""
        return _local_day(moment, ZoneInfo(self.zone)) if self.zone else None

    def _days(self, from_day: date) -> Iterator[date]:
        """The dates from `from_day` on."""
        first = self.first_day
        assert first is not None
        match self.repeats:
            case "once":
                days = iter((first,))
            case "daily":
                days = _spaced(first, self.every, from_day)
            case "weekly":
                days = _spaced(first, 7 * self.every, from_day)
            case "weekdays":
                days = (d for d in _spaced(first, 1, from_day) if d.weekday() < SATURDAY)
            case "yearly":
                days = _of_months(first, 12 * self.every, from_day)
            case _:
                days = _of_months(first, self.every, from_day)
        return (day for day in days if day >= from_day)


def instant(day: date, at: time, zone: ZoneInfo) -> datetime | None:
    """When clocks in `zone` first show `at` on `day`, in UTC; None where that day is left out.

    Where they skip that time it is as much later as they skip, but on the same day, or else the
    last minute before.
    """
    moment = datetime.combine(day, at, zone).astimezone(UTC)
    shown = moment.astimezone(zone)
    if shown.date() == day:
        return moment
    # it skips into the next day: go back to before the gap, minute by minute
    while shown.date() > day:
        moment -= MINUTE
        shown = moment.astimezone(zone)
    return moment if shown.date() == day else None


def cron_fault(expression: str) -> str | None:
    """What is wrong with a cron expression, None if nothing is."""
    fields = expression.split()
    if len(fields) == 6:
        return "has six fields: leave out the one for seconds"
    if len(fields) != 5:
        return f"has {len(fields)} fields: minute, hour, day of month, month, day of week"
    try:
        CronSim(expression, SOME_DAY)
    except CronSimError as error:
        return f"can't be read: {str(error).lower()}"
    return None


def shortest_gap(expression: str) -> timedelta:
    """The shortest time between two of the next times of a cron expression."""
    moments = list(islice(CronSim(expression, SOME_DAY), COMPARED))
    return min(later - earlier for earlier, later in pairwise(moments))


def _next_of_cron(expression: str, after: datetime, zone: ZoneInfo) -> datetime | None:
    for local in CronSim(expression, after.astimezone(zone)):
        moment = local.astimezone(UTC)
        if moment > after:  # a time that comes twice is given again
            return moment
    return None


def _spaced(first: date, step: int, from_day: date) -> Iterator[date]:
    """Every `step` days from `first` on, beginning near `from_day`."""
    passed = max((from_day - first).days // step, 0)
    return (first + timedelta(days=step * number) for number in count(passed))


def _of_months(first: date, step: int, from_day: date) -> Iterator[date]:
    """The day of the month of `first` every `step` months, beginning near `from_day`."""
    months = (from_day.year - first.year) * 12 + from_day.month - first.month
    for number in count(max(months // step, 0)):
        index = first.month - 1 + number * step
        yield _in_month(first.year + index // 12, index % 12 + 1, first.day)


@lru_cache
def _in_month(year: int, month: int, day: int) -> date:
    """`day` of a month, or its last one."""
    following = date(year + month // DECEMBER, month % DECEMBER + 1, 1)
    return min(date(year, month, 1) + timedelta(days=day - 1), following - DAY)


def _local_day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()
