"""No words hold up the program: each is read in about as many steps as it has characters."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from companion.errors import ToolError
from companion.llm.asked_reminders import asked_reminder
from companion.search.dates import days_named
from companion.timed import pausing
from companion.timed.when import resolve

TODAY = date(2025, 5, 5)
NOW = datetime(2025, 5, 5, 12, tzinfo=UTC)
PUMPS = {
    "blanks behind a day": "tomorrow{} at 9", "blanks behind last": "the last{} week",
    "blanks before to": "23:00{}to 8", "blanks": "{}", "commas": "remind me to{},thanks",
}  # fmt: skip
READERS: dict[str, Callable[[str], object]] = {
    "days of a query": lambda words: days_named(words, years=[2024, 2025], today=TODAY),
    "a time": lambda words: resolve(words, NOW, ZoneInfo("UTC")),
    "quiet hours": pausing.quiet_hours,
    "a pause": lambda words: pausing.pause_until(words, NOW, ZoneInfo("UTC")),
    "a reminder": asked_reminder,
}
LONG, MUCH_LONGER = 2000, 32_000


def cost(read: Callable[[str], object], words: str) -> float:
    """Seconds of this thread that reading takes, the least of three times."""
    taken = []
    for _ in range(3):
        began = time.thread_time()
        with suppress(ToolError):
            read(words)
        taken.append(time.thread_time() - began)
    return min(taken)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("pump", PUMPS)
@pytest.mark.parametrize("repeated", [" ", " \n", "1", ",", "9:", "may ", "last "])
def test_sixteen_times_as_many_words_take_no_hundred_times_as_long(
    reader: str, pump: str, repeated: str
) -> None:
    read = READERS[reader]
    short, long = (
        PUMPS[pump].format(repeated * (size // len(repeated))) for size in (LONG, MUCH_LONGER)
    )
    assert cost(read, long) < 100 * max(cost(read, short), 0.0002)


@pytest.mark.parametrize(
    "words",
    [
        "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "every " + "9" * 5000 + " days",
        "in " + "9" * 5000 + " days", "in 1e999 days", "on the 99th", "31 February", "00/00",
    ],
)  # fmt: skip
def test_no_time_is_too_odd_to_be_refused(words: str) -> None:
    with pytest.raises(ToolError):
        resolve(words, NOW, ZoneInfo("UTC"))
