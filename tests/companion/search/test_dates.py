"""Days that a query names."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.search.dates import days_named

YEARS = range(2022, 2025)
TODAY = date(2024, 5, 15)  # a Wednesday


def named(query: str, today: date | None = TODAY) -> list[str]:
    """The days that `query` names as first and last day, or as one."""
    spans = days_named(query, years=YEARS, today=today).days
    return [
        str(days.first)
        if days.after - days.first == timedelta(days=1)
        else f"{days.first} to {days.after - timedelta(days=1)}"
        for days in spans
    ]


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("on 5 May 2023", ["2023-05-05"]),
        ("May 5th, 2023", ["2023-05-05"]),
        ("the 3rd of June", ["2022-06-03", "2023-06-03", "2024-06-03"]),
        ("Sept. 2022", ["2022-09-01 to 2022-09-30"]),
        ("2023-05-05", ["2023-05-05"]),
        ("2023-05", ["2023-05-01 to 2023-05-31"]),
        ("back in 2021", ["2021-01-01 to 2021-12-31"]),
        ("2023年5月5日", ["2023-05-05"]),
        (
            "between 1 June and 3 July 2023",
            ["2022-06-01", "2023-06-01", "2024-06-01", "2023-07-03"],
        ),
        ("29 February", ["2024-02-29"]),
    ],
)
def test_a_date_names_days_with_and_without_knowing_today(query: str, days: list[str]) -> None:
    assert sorted(named(query)) == sorted(named(query, today=None)) == sorted(days)


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("today", "2024-05-15"),
        ("what did I eat yesterday?", "2024-05-14"),
        ("last night", "2024-05-14"),
        ("the day before yesterday", "2024-05-13"),
        ("three days ago", "2024-05-12"),
        ("a week ago", "2024-05-05 to 2024-05-11"),
        ("two weeks ago", "2024-04-28 to 2024-05-04"),
        ("a couple of months ago", "2024-02-29 to 2024-03-30"),
        ("a year ago", "2023-03-31 to 2023-06-29"),
        ("last week", "2024-05-06 to 2024-05-12"),
        ("this week", "2024-05-13 to 2024-05-19"),
        ("last weekend", "2024-05-11 to 2024-05-12"),
        ("last month", "2024-04-01 to 2024-04-30"),
        ("last year", "2023-01-01 to 2023-12-31"),
        ("in the last 3 days", "2024-05-12 to 2024-05-15"),
        ("last May", "2023-05-01 to 2023-05-31"),
        ("this May", "2024-05-01 to 2024-05-31"),
        ("last March", "2024-03-01 to 2024-03-31"),
        ("last summer", "2023-06-01 to 2023-08-31"),
        ("last winter", "2023-12-01 to 2024-02-29"),
        ("on Monday", "2024-05-13"),
        ("last Wednesday", "2024-05-08"),
        ("昨天晚上", "2024-05-14"),
        ("前天", "2024-05-13"),
        ("三天前", "2024-05-12"),
        ("两个月前", "2024-02-29 to 2024-03-30"),
        ("上周", "2024-05-06 to 2024-05-12"),
        ("上周五", "2024-05-10"),
        ("上个月", "2024-04-01 to 2024-04-30"),
        ("去年", "2023-01-01 to 2023-12-31"),
        ("去年五月", "2023-05-01 to 2023-05-31"),
        ("前年夏天", "2022-06-01 to 2022-08-31"),
    ],
)
def test_how_far_back_it_lies_names_days_once_today_is_known(query: str, days: str) -> None:
    assert named(query) == [days]


@pytest.mark.parametrize("query", ["yesterday", "two weeks ago", "上周", "last summer"])
def test_without_knowing_today_nothing_is_guessed(query: str) -> None:
    assert named(query, today=None) == []


@pytest.mark.parametrize(
    "query",
    [
        *("may I ask", "they march on", "12345", "call 555-2020", "the 20 men", ""),
        *("31 June 2023", "my last job", "this is new", "999 years ago, nearly", "三个月大的小狗"),
    ],
)
def test_what_is_no_date_is_left_alone(query: str) -> None:
    found = days_named(query, years=YEARS, today=TODAY)
    assert not [days for days in found.days if days.first.year > 1900]


@pytest.mark.parametrize(
    ("query", "alone"),
    [
        ("what did we talk about last week?", True),
        ("5 May 2023", True),
        ("我们上周聊了什么", True),
        ("what did we say about the cat last week?", False),
        ("上周的猫", False),
        ("what did we talk about?", False),
    ],
)
def test_a_query_that_asks_for_nothing_but_days_is_known(query: str, alone: bool) -> None:
    assert days_named(query, years=YEARS, today=TODAY).alone is alone


@given(st.text() | st.from_regex(r"\A\d{1,3} (day|week|month|year)s ago\Z"), st.dates())
def test_any_text_on_any_day_gives_spans_that_do_not_end_before_they_begin(
    text: str, today: date
) -> None:
    for days in days_named(text, years=[2024], today=today).days:
        assert days.first < days.after
