"""When the companion may write first."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.openers.gates import BACK_OFF, TALKING, Gate, Rhythm, Situation, shut
from companion.timed.hours import Hours

NOW = datetime(2025, 5, 8, 17, 0, tzinfo=UTC)  # 19:00 in Berlin
DAY = timedelta(days=1)
RHYTHM = Rhythm(cap=1, gap=timedelta(hours=4))
OPEN = Situation(
    enabled=True,
    allowed=True,
    rhythm=RHYTHM,
    paused_until=None,
    reachable=True,
    zone=ZoneInfo("Europe/Berlin"),
    hours=Hours.parse("09:00-21:00"),
    quiet=None,
    busy=False,
    under_way=False,
    heard=NOW - timedelta(hours=9),
    said=NOW - timedelta(hours=9),
    last_opener=None,
    unanswered=0,
    sent_today=0,
    asked_today=0,
)


def test_all_gates_are_open_in_an_ordinary_situation() -> None:
    assert shut(OPEN, NOW) is None


@pytest.mark.parametrize(
    ("change", "gate"),
    [
        ({"enabled": False}, Gate.DISABLED),
        ({"allowed": False}, Gate.REVOKED),
        ({"rhythm": None}, Gate.NOT_OPTED_IN),
        ({"paused_until": NOW + timedelta(seconds=1)}, Gate.PAUSED),
        ({"reachable": False}, Gate.UNREACHABLE),
        ({"zone": None}, Gate.ZONE_UNKNOWN),
        ({"zone": ZoneInfo("Asia/Tokyo")}, Gate.OUTSIDE_HOURS),
        ({"quiet": Hours.parse("18:00-06:00")}, Gate.QUIET_HOURS),
        ({"busy": True}, Gate.IN_CONVERSATION),
        ({"heard": NOW - timedelta(minutes=3)}, Gate.IN_CONVERSATION),
        ({"said": NOW - timedelta(minutes=3)}, Gate.IN_CONVERSATION),
        ({"under_way": True}, Gate.UNDER_WAY),
        ({"sent_today": 1}, Gate.DAILY_CAP),
        ({"heard": NOW - timedelta(hours=3)}, Gate.MINIMUM_GAP),
        ({"said": NOW - timedelta(hours=3)}, Gate.MINIMUM_GAP),
        ({"asked_today": 1}, Gate.ASKED_TODAY),
    ],
)
def test_each_gate_shuts_alone(change: dict[str, object], gate: Gate) -> None:
    assert shut(replace(OPEN, **change), NOW) is gate  # type: ignore[arg-type]


def test_a_pause_that_is_over_holds_nothing_back() -> None:
    assert shut(replace(OPEN, paused_until=NOW), NOW) is None


@pytest.mark.parametrize(("unanswered", "days"), [(1, 1), (2, 2), (3, 4), (4, 8)])
def test_the_wait_doubles_while_nobody_answers(unanswered: int, days: int) -> None:
    asked = replace(OPEN, unanswered=unanswered, last_opener=NOW, said=NOW)
    wait = timedelta(days=days)
    assert shut(asked, NOW + wait - timedelta(hours=1)) is Gate.BACKING_OFF
    assert shut(asked, NOW + wait) is None


def test_after_the_longest_wait_it_is_quiet_until_they_write() -> None:
    asked = replace(OPEN, unanswered=5, last_opener=NOW, said=NOW)
    assert shut(asked, NOW + 365 * DAY) is Gate.UNTIL_THEY_WRITE
    wrote = replace(asked, unanswered=0, heard=NOW + 364 * DAY)
    assert shut(wrote, NOW + 365 * DAY) is None


def test_rarely_means_days_between_openers_that_were_answered_too() -> None:
    rarely = Rhythm(cap=1, gap=timedelta(hours=4), apart=5 * DAY)
    asked = replace(OPEN, rhythm=rarely, last_opener=NOW)
    assert shut(asked, NOW + 4 * DAY) is Gate.MINIMUM_GAP
    assert shut(asked, NOW + 5 * DAY) is None


past = st.none() | st.timedeltas(timedelta(), timedelta(days=40)).map(lambda ago: NOW - ago)
situations = st.builds(
    Situation,
    enabled=st.booleans(),
    allowed=st.booleans(),
    rhythm=st.none() | st.just(RHYTHM),
    paused_until=past | st.just(NOW + DAY),
    reachable=st.booleans(),
    zone=st.none() | st.sampled_from(["Europe/Berlin", "Asia/Tokyo", "UTC"]).map(ZoneInfo),
    hours=st.sampled_from(["09:00-21:00", "20:00-02:00"]).map(Hours.parse),
    quiet=st.none()
    | st.sampled_from(["23:00-08:00", "22:00-22:00", "12:00-20:00"]).map(Hours.parse),
    busy=st.booleans(),
    under_way=st.booleans(),
    heard=past,
    said=past,
    last_opener=past,
    unanswered=st.integers(0, 9),
    sent_today=st.integers(0, 3),
    asked_today=st.integers(0, 3),
)


@given(situations)
def test_nothing_passes_that_any_rule_forbids(situation: Situation) -> None:
    if shut(situation, NOW) is not None:
        return
    assert situation.enabled
    assert situation.allowed
    assert situation.reachable
    assert not situation.busy
    assert not situation.under_way
    assert situation.rhythm is not None
    assert situation.zone is not None
    local = NOW.astimezone(situation.zone).time()
    assert local in situation.hours
    assert situation.quiet is None or local not in situation.quiet
    assert situation.paused_until is None or situation.paused_until <= NOW
    for at in (situation.heard, situation.said):
        assert at is None or NOW - at >= max(situation.rhythm.gap, TALKING)
    assert situation.sent_today < situation.rhythm.cap
    assert situation.asked_today < situation.rhythm.cap
    assert situation.unanswered <= len(BACK_OFF)
    if situation.unanswered and situation.last_opener:
        assert NOW - situation.last_opener >= BACK_OFF[situation.unanswered - 1]


@given(situations)
def test_waiting_alone_never_shuts_what_only_time_opens(situation: Situation) -> None:
    """A day later, at the same time of day, no gate is shut that was open; nobody did anything."""
    steady = replace(situation, zone=ZoneInfo("UTC") if situation.zone else None)
    if shut(steady, NOW) is None:
        later = replace(steady, sent_today=0, asked_today=0)
        assert shut(later, NOW + DAY) is None
