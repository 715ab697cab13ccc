"""The time of a story that is told to a companion."""

from datetime import UTC, datetime, timedelta

BEGIN = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)


class StoryClock:
    """Stands still unless it is moved, so that a sample goes the same way whenever it runs."""

    def __init__(self, begin: datetime = BEGIN) -> None:
        self._now = begin

    def now(self) -> datetime:
        return self._now

    def move(self, by: timedelta) -> None:
        """Let `by` go past."""
        self._now += by
