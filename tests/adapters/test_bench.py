"""The benchmarks of the platforms, made small."""

import pytest

from adapters.bench.discord import DISCORD
from adapters.bench.people import Crowd
from adapters.bench.run import Stage, measure
from adapters.bench.telegram import TELEGRAM

CROWD = Crowd(chats=3, messages=5)
CALM = Crowd(chats=2, messages=2, at_once=1, one_slow=True)


@pytest.mark.parametrize("stage", [TELEGRAM, DISCORD])
def test_a_small_benchmark_loses_nothing_and_knows_how_long_it_took(stage: Stage) -> None:
    figures = {figure.name: figure.value for figure in measure(stage, CROWD, CALM)}
    assert [figures[name] for name in ("lost", "doubled", "out of order")] == [0, 0, 0]
    assert figures["all at once, 95 of 100 within"] > 0
    assert figures["added to an answer, 95 of 100"] > 0
