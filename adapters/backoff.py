"""Growing pauses between tries, the same on every platform."""

from datetime import timedelta

FIRST, LONGEST = timedelta(seconds=1), timedelta(minutes=1)


class Backoff:
    """Pauses that double from `first` up to a minute, until something worked."""

    def __init__(self, first: timedelta = FIRST) -> None:
        self._first = self._pause = first

    def next(self) -> float:
        """How many seconds to wait before the next try."""
        pause = self._pause
        self._pause = min(2 * pause, LONGEST)
        return pause.total_seconds()

    def worked(self) -> None:
        """Begin with a short pause again."""
        self._pause = self._first
