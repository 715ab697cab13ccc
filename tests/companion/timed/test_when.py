"""Words for a time: read whole, or not at all."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import ToolError
from companion.timed.when import resolve

TOKYO, LISBON = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Lisbon")
NOW = datetime(2025, 5, 5, 14, 23, tzinfo=UTC)
"""A Monday, 15:23 in Lisbon."""


def local(words: str, now: datetime = NOW, zone: ZoneInfo = LISBON) -> str:
    """When it comes first, on the clock of `zone`."""
    return resolve(words, now, zone).first.astimezone(zone).strftime("%a %Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tomorrow at 9", "Tue 2025-05-06 09:00"),
        ("Tomorrow at 9am", "Tue 2025-05-06 09:00"),
        ("tomorrow", "Tue 2025-05-06 09:00"),
        ("tomorrow evening", "Tue 2025-05-06 19:00"),
        ("tomorrow at 8 in the evening", "Tue 2025-05-06 20:00"),
        ("tonight at 8", "Mon 2025-05-05 20:00"),
        ("today at 18.30", "Mon 2025-05-05 18:30"),
        ("the day after tomorrow at noon", "Wed 2025-05-07 12:00"),
        ("at 9", "Tue 2025-05-06 09:00"),
        ("18:00", "Mon 2025-05-05 18:00"),
        ("midnight", "Tue 2025-05-06 00:00"),
        ("in two hours", "Mon 2025-05-05 17:23"),
        ("in half an hour", "Mon 2025-05-05 15:53"),
        ("in an hour and a half", "Mon 2025-05-05 16:53"),
        ("in 1h30m", "Mon 2025-05-05 16:53"),
        ("in an hour and 30 minutes", "Mon 2025-05-05 16:53"),
        ("90 min", "Mon 2025-05-05 16:53"),
        ("in 3 days at 9", "Thu 2025-05-08 09:00"),
        ("in two weeks", "Mon 2025-05-19 09:00"),
        ("friday at 6pm", "Fri 2025-05-09 18:00"),
        ("next Friday 18:30", "Fri 2025-05-16 18:30"),
        ("monday", "Mon 2025-05-12 09:00"),
        ("monday 16:00", "Mon 2025-05-05 16:00"),
        ("sunday night at 10", "Sun 2025-05-11 22:00"),
        ("on 3 May at 9", "Sun 2026-05-03 09:00"),
        ("May 30th, 9:30 pm", "Fri 2025-05-30 21:30"),
        ("on the 15th at 10", "Thu 2025-05-15 10:00"),
        ("3.6.2025 18:00", "Tue 2025-06-03 18:00"),
        ("2025-06-01 18:30", "Sun 2025-06-01 18:30"),
        ("2025-06-01T18:30:00", "Sun 2025-06-01 18:30"),
        ("2025-06-01T18:30:00+02:00", "Sun 2025-06-01 17:30"),
        ("2025-06-01T18:30Z", "Sun 2025-06-01 19:30"),
    ],
)
def test_words_for_one_time(words: str, expected: str) -> None:
    assert local(words) == expected
    assert resolve(words, NOW, LISBON).rule.repeats == "once"


@pytest.mark.parametrize(
    ("words", "expected", "often"),
    [
        ("every day at 8:15", "Tue 2025-05-06 08:15", ("daily", 1, "")),
        ("daily at 18", "Mon 2025-05-05 18:00", ("daily", 1, "")),
        ("every morning", "Tue 2025-05-06 09:00", ("daily", 1, "")),
        ("every evening at 8", "Mon 2025-05-05 20:00", ("daily", 1, "")),
        ("every 3 days at 9", "Tue 2025-05-06 09:00", ("daily", 3, "")),
        ("every weekday at 8", "Tue 2025-05-06 08:00", ("weekdays", 1, "")),
        ("mondays at 9", "Mon 2025-05-12 09:00", ("weekly", 1, "")),
        ("every friday 18:30", "Fri 2025-05-09 18:30", ("weekly", 1, "")),
        ("every other monday at 9", "Mon 2025-05-12 09:00", ("weekly", 2, "")),
        ("every 2 weeks on friday", "Fri 2025-05-09 09:00", ("weekly", 2, "")),
        ("every monday and thursday at 8", "Thu 2025-05-08 08:00", ("cron", 1, "0 8 * * 1,4")),
        ("every weekend at 10", "Sat 2025-05-10 10:00", ("cron", 1, "0 10 * * 6,0")),
        ("every month on the 31st", "Sat 2025-05-31 09:00", ("monthly", 1, "")),
        ("on the 3rd of every month at 10", "Tue 2025-06-03 10:00", ("monthly", 1, "")),
        ("every 3rd of the month at 10", "Tue 2025-06-03 10:00", ("monthly", 1, "")),
        ("every year on 3 May", "Sun 2026-05-03 09:00", ("yearly", 1, "")),
        ("every 3 May 1990", "Sun 2026-05-03 09:00", ("yearly", 1, "")),
        ("yearly on 29 February", "Sat 2026-02-28 09:00", ("yearly", 1, "")),
        ("every hour", "Mon 2025-05-05 16:23", ("cron", 1, "23 0-23/1 * * *")),
        ("every 2 hours", "Mon 2025-05-05 17:23", ("cron", 1, "23 1-23/2 * * *")),
        ("every 10 minutes", "Mon 2025-05-05 15:33", ("cron", 1, "3-59/10 * * * *")),
        ("0 8 * * 1-5", "Tue 2025-05-06 08:00", ("cron", 1, "0 8 * * 1-5")),
        ("cron: 0 8 * * MON-FRI", "Tue 2025-05-06 08:00", ("cron", 1, "0 8 * * MON-FRI")),
    ],
)
def test_words_for_again_and_again(words: str, expected: str, often: tuple[str, int, str]) -> None:
    rule = resolve(words, NOW, LISBON).rule
    assert (local(words), (rule.repeats, rule.every, rule.cron)) == (expected, often)


def test_tomorrow_is_the_day_that_is_tomorrow_where_the_person_is() -> None:
    # it is the 5th in UTC, and 23:30 there
    assert local("tomorrow at 9", NOW.replace(hour=14, minute=30), TOKYO) == "Tue 2025-05-06 09:00"
    # it is still the 5th in UTC, and the 6th there
    assert local("tomorrow at 9", NOW.replace(hour=15, minute=20), TOKYO) == "Wed 2025-05-07 09:00"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "Say when."),
        ("soonish", "I can't read “soonish”"),
        ("tomorrow at 9 or so", "I can't read “or so”"),
        ("first monday of the month", "I can't read “first month”"),
        ("every 1s", "too often"),
        ("every second", "too often"),
        ("every minute", "too often"),
        ("every 2 minutes", "too often"),
        ("* * * * * *", "six fields"),
        ("0 25 * * *", "bad hour"),
        ("0 0 31 2 *", "bad day-of-month"),
        ("every 7 hours", "I can do every 5, 10, 15"),
        ("2020-01-01 9:00", "has passed; it is 2025-05-05 15:23 there"),
        ("today at 9", "has passed"),
        ("2020-01-01T09:00Z", "has passed"),
        ("31 February at 9", "There is no day 31 in month 2"),
        ("2025-02-31 09:00", "There is no day 31 in month 2"),
        ("2025-02-31T09:00Z", "is no date that exists"),
        ("on the 32nd", "No month has a day 32"),
        ("9999-01-01 09:00", "more than a year ahead"),
        ("9999-12-31T23:59-12:00", "more than a year ahead"),
        ("in 99999999999 days", "more than a year ahead"),
        ("in 99999999999999 hours", "more than a year ahead"),
        ("in the year 9999", "I can't read"),
        ("at 25:00", "is no time of day"),
        ("at 13pm", "is no time of day"),
        ("friday 2025-05-10", "is a Saturday"),
        ("monday and tuesday at 9", "Name one day"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words: str, said: str) -> None:
    with pytest.raises(ToolError, match=said.replace("*", r"\*").replace("?", r"\?")):
        resolve(words, NOW, LISBON)


@given(st.text(alphabet="0123456789:-./* abdehimnorstuwy", max_size=30))
def test_any_words_are_a_time_to_come_or_a_sentence(words: str) -> None:
    try:
        found = resolve(words, NOW, LISBON)
    except ToolError:
        return
    assert found.first > NOW
    assert found.rule.next(NOW) == found.first


KNOWN = st.sampled_from(
    re.split(
        " ",
        "every other 2 day weeks monday next tomorrow at 9 18:30 in 3 may 2026 the 31st of month"
        " year hours minutes noon pm and 29 february on morning half an hour",
    )
)


@given(st.lists(KNOWN, max_size=7))
def test_any_order_of_known_words_is_a_time_to_come_or_a_sentence(words: list[str]) -> None:
    try:
        found = resolve(" ".join(words), NOW, LISBON)
    except ToolError:
        return
    assert NOW < found.first < NOW + timedelta(days=9 * 366)
