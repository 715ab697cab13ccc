"""What memory gives to write about, and when."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.openers.candidates import (
    About,
    Candidate,
    Kind,
    Remark,
    Source,
    candidates,
)
from companion.openers.choosing import Used, fresh, offered, waits

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    """A moment on the clock in Berlin, for example "05-08 19:00", in 2025."""
    local = datetime.strptime(f"2025-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=BERLIN)
    return local.astimezone(UTC)


SAID = at("05-05 14:00")  # a Monday


def told(text: str, said_at: datetime = SAID, number: int = 1) -> Remark:
    """The person said so."""
    return Remark(source=Source("message", number), text=text, said_at=said_at, by="person")


def noted(text: str, said_at: datetime = SAID, line: int = 0) -> Remark:
    """It stands in the working context."""
    return Remark(source=Source("context", 1, line), text=text, said_at=said_at, by="note")


def ripe(now: str, *remarks: Remark, used: tuple[Used, ...] = ()) -> list[tuple[Kind, str]]:
    """What can be written about at `now`."""
    found = candidates(remarks, at(now), BERLIN)
    choice = fresh(found, remarks, at(now), used=used, names=("anna",))
    return [(one.kind, one.text) for one in offered(choice, at(now))]


INTERVIEW = told("I have an interview at Acme on Thursday.")


def test_how_it_went_is_asked_from_the_evening_after_in_the_persons_zone() -> None:
    text = INTERVIEW.text
    assert ripe("05-07 12:00", INTERVIEW) == []
    assert ripe("05-07 18:00", INTERVIEW) == [(Kind.COMING_UP, text)]
    assert ripe("05-08 09:00", INTERVIEW) == [(Kind.COMING_UP, text)]
    assert ripe("05-08 13:00", INTERVIEW) == []
    assert ripe("05-08 17:00", INTERVIEW) == [(Kind.HOW_IT_WENT, text)]
    assert ripe("05-12 16:59", INTERVIEW) == [(Kind.HOW_IT_WENT, text)]
    assert ripe("05-12 17:00", INTERVIEW) == []


def test_a_plan_of_last_month_is_neither_looked_forward_to_nor_asked_about() -> None:
    plans = (
        INTERVIEW,
        noted("Anna has an interview on 2025-05-08.", line=1),
        told("We drive to Rome next week."),
    )
    assert ripe("06-10 18:00", *plans) == []


@pytest.mark.parametrize(
    ("text", "first", "not_yet"),
    [
        ("the exam is on Thursday at 10:00", "05-08 17:00", "05-08 16:59"),
        ("the exam is on Thursday at 16:30", "05-08 18:30", "05-08 18:29"),
        ("the concert is on Thursday at 8 pm", "05-09 08:00", "05-08 23:00"),
        ("I start the new job next week", "05-18 17:00", "05-16 17:00"),
        ("the wedding is on 2025-06-07", "06-07 17:00", "06-07 16:00"),
    ],
)
def test_it_is_asked_when_it_is_over(text: str, first: str, not_yet: str) -> None:
    assert (Kind.HOW_IT_WENT, text) in ripe(first, told(text))
    assert (Kind.HOW_IT_WENT, text) not in ripe(not_yet, told(text))


@pytest.mark.parametrize(
    "text",
    [
        "I had an interview on Thursday.",
        "Yesterday I was at the dentist.",
        "What is the weather on Thursday?",
        "The interview on Thursday is cancelled.",
        "I run on Fridays.",
    ],
)
def test_what_is_past_a_question_or_called_off_is_no_plan(text: str) -> None:
    for hours in range(0, 24 * 12, 3):
        now = SAID + timedelta(hours=hours)
        assert fresh(candidates([told(text)], now, BERLIN), [], now) == []


def test_a_plan_that_is_called_off_later_is_dropped() -> None:
    off = told("They cancelled the interview.", at("05-07 10:00"), 2)
    assert ripe("05-07 18:00", INTERVIEW, off) == []


def test_what_the_person_told_by_themselves_is_not_asked() -> None:
    before = told("I'm so nervous before the interview!", at("05-08 08:00"), 2)
    after = told("The interview went so well!", at("05-08 18:00"), 3)
    assert ripe("05-08 19:00", INTERVIEW, before) == [(Kind.HOW_IT_WENT, INTERVIEW.text)]
    assert ripe("05-08 19:00", INTERVIEW, before, after) == []


def test_one_matter_is_offered_once_and_by_what_the_person_said() -> None:
    note = noted("Anna has an interview at Acme on 2025-05-08.")
    assert ripe("05-08 18:00", note, INTERVIEW) == [(Kind.HOW_IT_WENT, INTERVIEW.text)]


def test_a_birthday_comes_every_year() -> None:
    own = told("My birthday is on 5 June.", datetime(2022, 1, 1, tzinfo=UTC))
    sister = told("Lea's birthday is on 5 June 1990.", datetime(2022, 1, 1, tzinfo=UTC), 2)
    assert ripe("06-04 18:00", own) == []
    assert ripe("06-05 09:00", own) == [(Kind.BIRTHDAY, own.text)]
    assert ripe("06-04 18:00", sister) == [(Kind.BIRTHDAY, sister.text)]
    assert ripe("06-06 09:00", own, sister) == []


def test_a_birthday_on_29_february_is_on_the_28th_in_other_years() -> None:
    own = told("My birthday is on 29 February.", datetime(2024, 3, 1, tzinfo=UTC))
    assert ripe("02-28 09:00", own) == [(Kind.BIRTHDAY, own.text)]


def test_promises_of_both_sides_are_come_back_to() -> None:
    theirs = told("I'll let you know how it tastes.")
    ours = Remark(source=Source("message", 2), text="I'll ask Ruth.", said_at=SAID, by="companion")
    assert ripe("05-06 13:00", theirs, ours) == []
    assert {kind for kind, _ in ripe("05-07 12:00", theirs, ours)} == {Kind.PROMISE}
    assert ripe("05-20 12:00", theirs, ours) == []


def test_an_open_thread_is_come_back_to_after_days_until_it_is_closed() -> None:
    worry = told("I'm still waiting to hear from the clinic.")
    closed = told("The clinic called, all is well.", at("05-08 09:00"), 2)
    assert ripe("05-06 12:00", worry) == []
    assert ripe("05-08 18:00", worry) == [(Kind.OPEN_THREAD, worry.text)]
    assert ripe("05-08 18:00", worry, closed) == []


def test_what_is_known_is_offered_when_nothing_else_is_and_a_few_at_a_time() -> None:
    known = ["likes tea", "likes jazz", "likes Rome", "has a cat, Minka", "plays the cello"]
    facts = [noted(f"Anna {what}.", line=line) for line, what in enumerate(known)]
    kinds = [kind for kind, _ in ripe("05-08 18:00", *facts)]
    assert kinds == [Kind.FACT] * 3
    days = [ripe(f"05-{day:02} 18:00", *facts) for day in range(8, 20)]
    assert {fact.text for fact in facts} == {text for day in days for _, text in day}


def test_a_note_with_a_day_in_it_is_never_offered_as_a_timeless_fact() -> None:
    assert ripe("07-01 12:00", noted("Anna flies to Rome on 2025-05-20.")) == []


def used(remark: Remark, kind: Kind, day: str | None = None) -> Used:
    return Used(About(kind, remark.source, 0, at(day).date() if day else None), remark.text)


def test_what_was_written_about_is_not_offered_again_but_asked_after() -> None:
    wished = used(INTERVIEW, Kind.COMING_UP, "05-08 12:00")
    assert ripe("05-07 18:00", INTERVIEW, used=(wished,)) == []
    assert ripe("05-08 18:00", INTERVIEW, used=(wished,)) == [(Kind.HOW_IT_WENT, INTERVIEW.text)]
    asked = used(INTERVIEW, Kind.HOW_IT_WENT, "05-08 12:00")
    note = noted("Interview at Acme on 2025-05-08.")
    assert ripe("05-08 18:00", INTERVIEW, note, used=(wished, asked)) == []


def test_a_fact_that_was_used_leaves_the_others() -> None:
    cat, cello = noted("Anna has a cat, Minka.", line=1), noted("Anna plays the cello.", line=2)
    assert ripe("05-08 18:00", cat, cello, used=(used(cat, Kind.FACT),)) == [
        (Kind.FACT, cello.text)
    ]


def test_what_matters_more_and_ripens_later_today_is_waited_for() -> None:
    remarks = [INTERVIEW, told("I'm trying to sleep more.", SAID - timedelta(days=3), 2)]
    now = at("05-08 13:00")
    choice = fresh(candidates(remarks, now, BERLIN), remarks, now)
    assert [one.kind for one in offered(choice, now)] == [Kind.OPEN_THREAD]
    assert waits(choice, now, at("05-08 21:00"))
    assert not waits(choice, now, at("05-08 16:00"))
    assert not waits(choice, at("05-08 17:30"), at("05-08 21:00"))


def test_chinese_and_german_are_understood() -> None:
    assert ripe("05-08 18:00", told("我周四面试。")) == [(Kind.HOW_IT_WENT, "我周四面试。")]
    exam = told("Am Donnerstag habe ich eine Prüfung.")
    assert ripe("05-08 18:00", exam) == [(Kind.HOW_IT_WENT, exam.text)]


@given(st.text(max_size=200), st.integers(0, 60 * 24))
def test_whatever_was_said_is_never_written_about_as_if_it_were_to_come(
    text: str, hours: int
) -> None:
    now = SAID + timedelta(hours=hours)
    found = candidates([told(f"The exam is on Thursday. {text}")], now, BERLIN)
    for one in found:
        assert one.begin <= one.end
        if one.kind is Kind.COMING_UP and one.is_ripe(now):
            assert one.about.day is not None
            assert one.about.day >= now.astimezone(BERLIN).date()


def _begin(one: Candidate) -> datetime:
    return one.begin


def test_what_is_found_does_not_depend_on_when_it_is_looked_for() -> None:
    remarks = [INTERVIEW, told("I'm worried about my knee."), noted("Anna likes tea.")]
    first = sorted(candidates(remarks, at("05-06 09:00"), BERLIN), key=_begin)
    assert first == sorted(candidates(remarks, at("05-30 09:00"), BERLIN), key=_begin)
