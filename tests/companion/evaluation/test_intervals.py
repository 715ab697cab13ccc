"""Means and how far they can be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.evaluation.intervals import average, share


def test_wilsons_interval_is_as_published() -> None:
    # Newcombe 1998, table I: 81 of 263 and 0 of 20
    assert share([1] * 81 + [0] * 182).low == pytest.approx(0.2553, abs=1e-4)
    assert share([1] * 81 + [0] * 182).high == pytest.approx(0.3662, abs=1e-4)
    assert share([0] * 20).low == 0
    assert share([0] * 20).high == pytest.approx(0.1611, abs=1e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_a_mean_lies_in_its_interval(values: list[float]) -> None:
    found = average(values)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert found.samples == len(values)
