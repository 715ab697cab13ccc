"""A stretch of every day on a person's own clock, such as 23:00 to 08:00."""

import re
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Self

_WRITTEN = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)\s*")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Hours:
    """From `begin` until just before `end`, across midnight where `end` is earlier.

    Equal ends mean no time at all.
    """

    begin: time
    end: time

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `text`, such as "23:00-08:00", means.

        Raises:
            ValueError: it is written in another way.
        """
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError("write it like 23:00-08:00")
        numbers = [int(number) for number in written.groups()]
        return cls(time(numbers[0], numbers[1]), time(numbers[2], numbers[3]))

    def __contains__(self, local: time) -> bool:
        local = local.replace(tzinfo=None)
        if self.begin <= self.end:
            return self.begin <= local < self.end
        return local >= self.begin or local < self.end

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"

    @property
    def length(self) -> timedelta:
        """How long it lasts by the clock."""
        return (_since_midnight(self.end) - _since_midnight(self.begin)) % _DAY


def _since_midnight(clock: time) -> timedelta:
    return timedelta(hours=clock.hour, minutes=clock.minute)
