"""How the window is shared out."""

import pytest

from companion.context.limits import Limits
from companion.settings import MemorySettings


@pytest.mark.parametrize("window", [4096, 8192, 32_768, 131_072])
def test_the_papers_shares_hold_with_room_for_the_answer(window: int) -> None:
    limits = Limits.of(window, 1024, MemorySettings())
    assert limits.evict == window // 2
    assert limits.warn == int(window * 0.7)
    assert limits.flush + limits.answer <= window
    assert limits.warn < limits.flush
    assert limits.message + limits.summary + limits.working_context < limits.flush // 2


def test_a_long_answer_never_takes_most_of_a_small_window() -> None:
    assert Limits.of(4096, 100_000, MemorySettings()).answer == 4096 // 6


def test_the_warning_comes_before_the_flush_where_the_answer_takes_much() -> None:
    limits = Limits.of(8192, 8192, MemorySettings(warn_at=0.95, flush_at=1.0))
    assert limits.warn < limits.flush < 8192
