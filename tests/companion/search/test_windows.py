"""Hits with the turns around them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.search.ranking import Ids
from companion.search.windows import windows


def ids(*numbers: int) -> Ids:
    return np.array(numbers, np.int64)


TEN = ids(*range(1, 11))


def test_a_hit_stands_between_the_turns_beside_it() -> None:
    assert windows(TEN, ids(1), [5, 1]) == [[4, 5, 6], [1, 2]]


def test_the_turns_of_another_sitting_stay_out() -> None:
    assert windows(TEN, ids(1, 5), [5]) == [[5, 6]]


def test_a_hit_that_was_shown_beside_a_better_one_is_not_shown_again() -> None:
    assert windows(TEN, ids(1), [5, 6, 7]) == [[4, 5, 6], [7, 8]]


def test_the_order_is_that_of_time_where_old_messages_were_imported_later() -> None:
    assert windows(ids(8, 9, 1, 2), ids(8), [9]) == [[8, 9, 1]]


@given(st.lists(st.integers(1, 10), unique=True), st.sets(st.integers(1, 10)))
def test_every_hit_is_shown_and_no_turn_twice(hits: list[int], begins: set[int]) -> None:
    shown = [one for window in windows(TEN, ids(*begins), hits) for one in window]
    assert len(shown) == len(set(shown))
    assert set(hits) <= set(shown)
