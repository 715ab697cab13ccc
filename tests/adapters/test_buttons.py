"""How buttons are laid out."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.buttons import CHARS_IN_A_ROW, MOST_IN_A_ROW, rows


def test_short_labels_stand_side_by_side_and_long_ones_below_each_other() -> None:
    assert rows(["Yes", "No"]) == [[0, 1]]
    assert rows(["Yes", "No", "Later", "Never"]) == [[0, 1, 2], [3]]
    assert rows(["Tomorrow at the same time", "In an hour from now"]) == [[0], [1]]


@given(st.lists(st.text(min_size=1, max_size=60)))
def test_every_button_is_shown_once_in_order(labels: list[str]) -> None:
    laid_out = rows(labels)
    assert [place for row in laid_out for place in row] == list(range(len(labels)))
    for row in laid_out:
        assert 1 <= len(row) <= MOST_IN_A_ROW
        assert len(row) == 1 or sum(len(labels[place]) for place in row) <= CHARS_IN_A_ROW
