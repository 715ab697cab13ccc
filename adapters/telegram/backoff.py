"""Growing pauses between tries."""

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 60.0


class Backoff:
    """Pauses that double up to a minute, until something worked."""

    def __init__(self) -> None:
        self._seconds = FIRST_SECONDS

    def next(self) -> float:
        """How many seconds to wait before the next try."""
        seconds = self._seconds
        self._seconds = min(2 * seconds, LONGEST_SECONDS)
        return seconds

    def worked(self) -> None:
        """Begin with a short pause again."""
        self._seconds = FIRST_SECONDS
