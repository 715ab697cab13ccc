"""The moments at which to look whether to write first."""

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given
from hypothesis import strategies as st

from companion.openers.spread import looks, next_look
from companion.timed.hours import Hours

DAYTIME = Hours.parse("09:00-21:00")
moments = st.integers(1_704_067_200, 1_830_297_600).map(
    lambda second: datetime.fromtimestamp(second, UTC)
)
zones = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
hours = st.sampled_from(["09:00-21:00", "20:00-02:00", "02:00-03:00", "00:00-23:59"]).map(
    Hours.parse
)


@given(st.integers(1, 10**6), hours, zones, moments)
def test_a_look_is_later_inside_the_hours_and_within_two_days(
    person: int, when: Hours, zone: ZoneInfo, after: datetime
) -> None:
    look = next_look(person, when, zone, after)
    assert after < look <= after + timedelta(days=2, hours=2)
    assert look.astimezone(zone).time() in when


@given(st.integers(1, 10**6), hours, zones, moments)
def test_looks_come_in_order_and_none_is_skipped(
    person: int, when: Hours, zone: ZoneInfo, after: datetime
) -> None:
    first = next_look(person, when, zone, after)
    second = next_look(person, when, zone, first)
    assert next_look(person, when, zone, second - timedelta(seconds=1)) == second


def test_there_are_four_looks_in_twelve_hours_one_in_each_quarter() -> None:
    found = list(looks(7, DAYTIME, UTC, date(2025, 5, 5)))
    assert [(look.hour - 9) // 3 for look in found] == [0, 1, 2, 3]


def test_people_are_spread_over_the_hours() -> None:
    day = date(2025, 5, 5)
    first = [next(looks(person, DAYTIME, UTC, day)) for person in range(1000)]
    a_minute = max(sum(a <= b < a + timedelta(minutes=1) for b in first) for a in first)
    assert a_minute < 25  # of 1000 over 180 minutes


def test_a_person_is_not_looked_at_at_the_same_time_every_day() -> None:
    days = [date(2025, 5, 1) + timedelta(days=n) for n in range(28)]
    assert len({next(looks(1, DAYTIME, UTC, day)).time() for day in days}) == 28


def test_moments_are_the_same_in_every_run_of_the_program() -> None:
    zone = timezone(timedelta(hours=2))
    assert [look.isoformat() for look in islice(looks(1, DAYTIME, zone, date(2025, 5, 5)), 2)] == [
        "2025-05-05T09:44:16+00:00",
        "2025-05-05T12:14:46+00:00",
    ]
