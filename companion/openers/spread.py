"""When to look whether to write first: some moments of each day, others for each person.

They come from a hash, not from chance: a restart changes none, and a thousand people are not
written to in the same minute.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo

from companion.timed.hours import Hours

APART = timedelta(hours=3)
"""There is one look in each such stretch of the hours."""


def next_look(person: int, hours: Hours, zone: tzinfo, after: datetime) -> datetime:
    """The person's first look later than `after`, in UTC.

    Raises:
        ValueError: `hours` are none at all.
    """
    if not hours.length:
        raise ValueError("there are no hours to look in")
    day = after.astimezone(zone).date() - timedelta(days=1)
    while True:
        for look in looks(person, hours, zone, day):
            if look > after:
                return look
        day += timedelta(days=1)


def looks(person: int, hours: Hours, zone: tzinfo, day: date) -> Iterator[datetime]:
    """The looks of the hours that begin on the local `day`, in UTC, in order.

    One that clocks skip or have twice is left out where it would come before the one before it.
    """
    number = max(1, round(hours.length / APART))
    stretch = hours.length / number
    begin = datetime.combine(day, hours.begin)
    last = datetime.min.replace(tzinfo=UTC)
    for index in range(number):
        wall = begin + stretch * (index + _share(person, day, index))
        # through UTC and back: a wall time that clocks skip moves on
        at = wall.replace(microsecond=0, tzinfo=zone).astimezone(UTC)
        if at > last and at.astimezone(zone).time() in hours:
            yield at
            last = at


def _share(person: int, day: date, index: int) -> float:
    """Where in its stretch a look lies, from 0 to just below 1."""
    digest = hashlib.sha256(f"{person} {day.isoformat()} {index}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
