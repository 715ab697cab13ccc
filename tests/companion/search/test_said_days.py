"""The days that a text speaks of, counted from when it was said."""

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.search.said_days import Named, named_days

MONDAY = datetime(2025, 5, 5, 14, 0, tzinfo=UTC)


def day(text: str, said: datetime = MONDAY) -> str:
    """The one stretch of days in `text`, as dates."""
    (named,) = named_days(text, said)
    if named.first == named.last:
        return named.first.isoformat()
    return f"{named.first.isoformat()} to {named.last.isoformat()}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have an interview on Thursday", "2025-05-08"),
        ("my exam is next Thursday", "2025-05-15"),
        ("see you on Monday", "2025-05-12"),
        ("On Friday I had an exam", "2025-05-02"),
        ("the party last Saturday", "2025-05-03"),
        ("surgery tomorrow at 9", "2025-05-06"),
        ("we leave the day after tomorrow", "2025-05-07"),
        ("the concert is tonight", "2025-05-05"),
        ("I ran 10 km yesterday", "2025-05-04"),
        ("we fly in two weeks", "2025-05-19"),
        ("in 10 days I move", "2025-05-15"),
        ("she called three days ago", "2025-05-02"),
        ("I start the new job next week", "2025-05-12 to 2025-05-18"),
        ("camping this weekend", "2025-05-10 to 2025-05-11"),
        ("we are in Rome next month", "2025-06-01 to 2025-06-30"),
        ("the wedding is on 7 June", "2025-06-07"),
        ("Mum's birthday is on May 3rd", "2026-05-03"),
        ("we met on 3 May", "2025-05-03"),
        ("exam: 2025-05-20", "2025-05-20"),
        ("Termin am 12.5.", "2025-05-12"),
        ("Am Donnerstag habe ich eine Prüfung", "2025-05-08"),
        ("I've got a date on Friday", "2025-05-09"),
        ("I got the job last Friday", "2025-05-02"),
        ("Morgen ist die Prüfung", "2025-05-06"),
        ("Übermorgen fliege ich", "2025-05-07"),
        ("Nächste Woche ziehe ich um", "2025-05-12 to 2025-05-18"),
        ("明天面试", "2025-05-06"),
        ("我下周四考试", "2025-05-15"),
        ("周五有个约会", "2025-05-09"),
        ("5月20日搬家", "2025-05-20"),
    ],
)
def test_a_day_is_counted_from_when_it_was_said(text: str, expected: str) -> None:
    assert day(text) == expected


@pytest.mark.parametrize(
    "text", ["Guten Morgen!", "I run on Fridays", "since 2019", "what a day", "", "I may call you"]
)
def test_what_names_no_day_names_none(text: str) -> None:
    assert named_days(text, MONDAY) == []


def test_the_time_of_day_goes_with_the_day() -> None:
    (named,) = named_days("dentist tomorrow at 3:30 pm", MONDAY)
    assert named == Named(date(2025, 5, 6), date(2025, 5, 6), time(15, 30))


def test_several_days_come_in_their_order() -> None:
    named = named_days("the results come on Friday, the exam is tomorrow", MONDAY)
    assert [one.first.day for one in named] == [6, 9]


def test_a_day_without_a_year_says_so() -> None:
    (named,) = named_days("her birthday is on 29 February", MONDAY)
    assert named.yearless
    assert named.first == date(2028, 2, 29)


def test_said_on_a_sunday_next_week_begins_tomorrow() -> None:
    sunday = datetime(2025, 5, 11, 22, 0, tzinfo=UTC)
    assert day("next week", sunday) == "2025-05-12 to 2025-05-18"
    assert day("on Sunday", sunday) == "2025-05-18"


@given(st.text(max_size=300))
def test_whatever_was_said_can_be_read(text: str) -> None:
    for named in named_days(text, MONDAY):
        assert named.first <= named.last


@given(st.integers(0, 6), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_a_weekday_lies_within_the_week_that_follows(number: int, today: date) -> None:
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[number]
    said = datetime.combine(today, time(12), UTC)
    (ahead,) = named_days(f"the test is on {name}", said)
    assert ahead.first.weekday() == number
    assert 1 <= (ahead.first - today).days <= 7
    (behind,) = named_days(f"the test was on {name}", said)
    assert behind.first.weekday() == number
    assert 1 <= (today - behind.first).days <= 7
