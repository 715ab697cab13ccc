"""A stretch of the day."""

from datetime import time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.timed.hours import Hours

minutes = st.builds(time, st.integers(0, 23), st.integers(0, 59))


def test_across_midnight_inside_means_inside() -> None:
    night = Hours.parse("23:00-08:00")
    assert time(23, 0) in night
    assert time(3, 30) in night
    assert time(7, 59, 59) in night
    assert time(8, 0) not in night
    assert time(22, 59) not in night


@pytest.mark.parametrize("text", ["22:00-22:00", "00:00-00:00"])
def test_equal_ends_mean_none(text: str) -> None:
    hours = Hours.parse(text)
    assert hours.length == timedelta()
    assert not any(time(hour) in hours for hour in range(24))


@pytest.mark.parametrize("text", ["", "23-08", "24:00-08:00", "9:00", "9:60-10:00", "late"])
def test_what_is_no_hours_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="23:00-08:00"):
        Hours.parse(text)


@given(minutes, minutes)
def test_what_is_written_is_read_as_it_was(begin: time, end: time) -> None:
    assert Hours.parse(str(Hours(begin, end))) == Hours(begin, end)


@given(minutes, minutes, minutes)
def test_a_time_is_in_the_hours_or_in_those_from_end_to_begin(
    begin: time, end: time, at: time
) -> None:
    if begin != end:
        assert (at in Hours(begin, end)) != (at in Hours(end, begin))


@given(minutes, minutes)
def test_the_length_counts_the_minutes_inside(begin: time, end: time) -> None:
    hours = Hours(begin, end)
    inside = sum(time(n // 60, n % 60) in hours for n in range(24 * 60))
    assert hours.length == timedelta(minutes=inside)
