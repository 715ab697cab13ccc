"""Pages of hits."""

from hypothesis import given
from hypothesis import strategies as st

from companion.search.page import cut, pages


@given(st.lists(st.integers()), st.integers(1, 20))
def test_the_pages_together_are_all_hits_in_order(hits: list[int], size: int) -> None:
    count = pages(len(hits), size)
    assert [hit for number in range(count) for hit in cut(hits, number=number, size=size)] == hits
    assert cut(hits, number=count, size=size) == []
