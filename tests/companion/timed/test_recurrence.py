"""Local dates with a wall time, over every zone and every day."""

import os
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.timed.recurrence import Repeats, Rule, cron_fault, instant, shortest_gap

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
START = datetime(2024, 1, 1, tzinfo=UTC)
YEAR = 2026
ALL = "COMPANION_ZONES" in os.environ
"""With COMPANION_ZONES every zone of the world is tried at every hour; else those that matter."""

TELLING = (
    "America/New_York",
    "America/Santiago",
    "America/Havana",
    "America/Nuuk",
    "America/Scoresbysund",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Tokyo",
    "Atlantic/Azores",
    "Antarctica/Troll",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Lisbon",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Kiritimati",
    "UTC",
)
ZONES = sorted(available_timezones()) if ALL else TELLING
TIMES = [time(hour, minute) for hour in range(24) for minute in ((0, 30) if ALL else (30,))]
if not ALL:
    TIMES += [time(0, 0), time(2, 0), time(23, 59)]


def local_dates(zone: ZoneInfo, year: int = YEAR) -> list[date]:
    """The dates of `year` that clocks in `zone` show, hour by hour."""
    first = datetime(year, 1, 1, tzinfo=UTC) - 2 * DAY
    shown = {(first + timedelta(hours=h)).astimezone(zone).date() for h in range(370 * 24)}
    return sorted(day for day in shown if day.year == year)


def daily(at: time, zone: str, day: date = date(YEAR, 1, 1)) -> Rule:
    return Rule(repeats="daily", first_day=day, wall_time=at, zone=zone)


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.timeout(0)
def test_a_daily_event_comes_once_on_each_local_date(name: str) -> None:
    zone = ZoneInfo(name)
    dates = local_dates(zone)
    for at in TIMES:
        moments = [instant(day, at, zone) for day in dates]
        assert [m.astimezone(zone).date() for m in moments if m is not None] == dates
        assert moments == sorted(set(moments))  # type: ignore[type-var]


@pytest.mark.parametrize("name", ["America/New_York", "America/Nuuk", "Pacific/Apia"])
def test_following_a_rule_from_one_time_to_the_next_misses_none(name: str) -> None:
    zone = ZoneInfo(name)
    for at in (time(2, 30), time(23, 30)):
        rule = daily(at, name)
        found, last_day = [], None
        moment = datetime(YEAR, 1, 1, tzinfo=UTC) - DAY
        while (following := rule.next(moment, last_day)) is not None:
            moment, last_day = following, rule.local_day(following)
            if last_day is not None and last_day.year > YEAR:
                break
            found.append(last_day)
        assert found == local_dates(zone)


def test_a_day_that_a_zone_leaves_out_is_left_out() -> None:
    zone = ZoneInfo("Pacific/Apia")
    assert instant(date(2011, 12, 30), time(9), zone) is None
    rule = daily(time(9), "Pacific/Apia", date(2011, 12, 29))
    after = instant(date(2011, 12, 29), time(9), zone)
    assert after is not None
    assert rule.next(after) == instant(date(2011, 12, 31), time(9), zone)


@pytest.mark.parametrize(
    ("zone", "day", "at", "shown"),
    [
        ("America/New_York", date(2026, 3, 8), time(2, 30), "03:30-0400"),
        ("America/New_York", date(2026, 11, 1), time(1, 30), "01:30-0400"),
        ("Europe/Berlin", date(2026, 3, 29), time(2, 0), "03:00+0200"),
        ("Europe/Berlin", date(2026, 10, 25), time(2, 30), "02:30+0200"),
        ("America/Santiago", date(2026, 9, 6), time(0, 0), "01:00-0300"),
        ("Asia/Beirut", date(2026, 3, 29), time(0, 0), "01:00+0300"),
        ("America/Havana", date(2026, 3, 8), time(0, 0), "01:00-0400"),
        ("America/Havana", date(2026, 11, 1), time(0, 30), "00:30-0400"),
        # here the clock skips from 23:00 into the next day
        ("America/Nuuk", date(2026, 3, 28), time(23, 30), "22:59-0200"),
    ],
)
def test_a_gap_moves_on_and_a_fold_takes_the_first(
    zone: str, day: date, at: time, shown: str
) -> None:
    moment = instant(day, at, ZoneInfo(zone))
    assert moment is not None
    assert moment.astimezone(ZoneInfo(zone)).strftime("%H:%M%z") == shown


@given(
    st.sampled_from(["daily", "weekdays", "weekly", "monthly", "yearly"]),
    st.dates(date(2024, 1, 1), date(2028, 12, 31)),
    st.times(),
    st.sampled_from(TELLING),
    st.integers(1, 5),
    st.integers(0, 5 * 365 * 24 * 60).map(lambda minutes: START + minutes * MINUTE),
)
def test_a_next_time_always_comes_after_and_fits_the_rule(
    repeats: Repeats, day: date, at: time, zone: str, every: int, after: datetime
) -> None:
    rule = Rule(repeats=repeats, first_day=day, wall_time=at, zone=zone, every=every)
    moment = rule.next(after)
    assert moment is not None
    assert moment > after
    local = rule.local_day(moment)
    assert local is not None
    assert local >= day
    assert rule.next(moment - timedelta(microseconds=1)) == moment
    following = rule.next(moment, local)
    assert following is not None
    assert following > moment
    assert rule.local_day(following) != local
    if repeats == "weekly":
        assert (local - day).days % (7 * every) == 0
    if repeats == "weekdays":
        assert local.weekday() < 5


def test_the_31st_is_the_last_day_of_shorter_months_and_a_leap_day_the_28th() -> None:
    monthly = Rule(repeats="monthly", first_day=date(2026, 1, 31), wall_time=time(9), zone="UTC")
    assert monthly.next(datetime(2026, 2, 1, tzinfo=UTC)) == datetime(2026, 2, 28, 9, tzinfo=UTC)
    assert monthly.next(datetime(2026, 3, 1, tzinfo=UTC)) == datetime(2026, 3, 31, 9, tzinfo=UTC)
    birthday = Rule(repeats="yearly", first_day=date(2024, 2, 29), wall_time=time(9), zone="UTC")
    assert birthday.next(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 2, 28, 9, tzinfo=UTC)
    assert birthday.next(datetime(2028, 1, 1, tzinfo=UTC)) == datetime(2028, 2, 29, 9, tzinfo=UTC)


def test_an_instant_comes_once() -> None:
    at = datetime(2026, 5, 5, 9, tzinfo=UTC)
    rule = Rule(repeats="once", at=at)
    assert rule.next(at - DAY) == at
    assert rule.next(at) is None


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        ("30 2 * * *", "America/New_York", "2026-03-08T05:00+00:00", "2026-03-08T07:00+00:00"),
        ("30 1 * * *", "America/New_York", "2026-11-01T05:30+00:00", "2026-11-02T06:30+00:00"),
        ("0 8 * * 1-5", "Europe/Berlin", "2026-05-08T12:00+00:00", "2026-05-11T06:00+00:00"),
        ("0 9 1 * *", "Asia/Tokyo", "2026-05-05T00:00+00:00", "2026-06-01T00:00+00:00"),
    ],
)
def test_cron_keeps_to_the_clock_of_its_zone(
    expression: str, zone: str, after: str, expected: str
) -> None:
    rule = Rule(repeats="cron", cron=expression, zone=zone)
    assert rule.next(datetime.fromisoformat(after)) == datetime.fromisoformat(expected)


@pytest.mark.parametrize("name", TELLING)
def test_a_daily_cron_misses_no_day(name: str) -> None:
    rule = Rule(repeats="cron", cron="30 2 * * *", zone=name)
    moment = datetime(YEAR, 1, 1, tzinfo=UTC) - DAY
    found: list[date | None] = []
    for _ in range(365):
        following = rule.next(moment)
        assert following is not None
        moment = following
        found.append(rule.local_day(following))
    assert len(set(found)) == 365


def test_what_is_wrong_with_a_cron_expression_is_said() -> None:
    assert cron_fault("0 8 * * 1-5") is None
    assert "seconds" in str(cron_fault("* * * * * *"))
    assert "3 fields" in str(cron_fault("0 8 *"))
    assert "bad hour" in str(cron_fault("0 25 * * *"))
    assert "day" in str(cron_fault("0 0 31 2 *"))


def test_the_shortest_gap_of_a_cron_expression_is_found() -> None:
    assert shortest_gap("* * * * *") == timedelta(minutes=1)
    assert shortest_gap("0,4 8 * * *") == timedelta(minutes=4)
    assert shortest_gap("0 8 * * *") == DAY
