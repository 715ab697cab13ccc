"""Time that only moves when a test moves it."""

from datetime import UTC, datetime, timedelta


class VirtualClock:
    """A clock for tests. It starts on a Monday."""

    def __init__(self, start: datetime = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        """Let `by` go past."""
        self._now += by
