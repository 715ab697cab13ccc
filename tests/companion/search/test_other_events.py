"""Events by which a query tells a time."""

from datetime import date

import pytest

from companion.search.other_events import OtherEvent, other_event
from companion.search.relative_dates import Days


@pytest.mark.parametrize(
    ("query", "event", "when"),
    [
        ("What did I eat before my exam?", "my exam", "before"),
        ("Where was Ben after the trip to Rome, and why?", "the trip to Rome", "after"),
        ("what changed since Ben's wedding", "Ben's wedding", "since"),
        ("Was habe ich vor der Prüfung gegessen?", "der Prüfung gegessen", "vor"),
        ("Was sagte er während meines Umzugs?", "meines Umzugs", "während"),
        ("考试之前我吃了什么", "考试", "之前"),
    ],
)
def test_an_event_and_how_it_tells_the_time(query: str, event: str, when: str) -> None:
    assert other_event(query) == OtherEvent(event, when)


@pytest.mark.parametrize(
    "query",
    [
        "what did we do before?",
        "before long",
        "during the last weekend",
        "around the same time of the year",
        "Was war vor zwei Wochen?",
        "nach Berlin",
        "the house after",
        "",
    ],
)
def test_what_names_no_event_is_left_to_others(query: str) -> None:
    assert other_event(query) is None


def test_before_and_after_are_a_month_and_during_is_close_by() -> None:
    day = date(2026, 5, 31)
    assert OtherEvent("it", "before").days(day) == Days(date(2026, 5, 1), date(2026, 6, 1))
    assert OtherEvent("it", "since").days(day) == Days(day, date(2026, 6, 30))
    assert OtherEvent("it", "during").days(day) == Days(date(2026, 5, 28), date(2026, 6, 4))
