"""The whole benchmark, as little of it as there can be."""

from math import isfinite

from companion.bench import crowd, long_talk, prompts
from companion.bench.turn import Plan, measure

LITTLE = Plan(
    one=long_talk.Plan(turns=4, early=2, block=1, rounds=1),
    many=crowd.Plan(people=3, warm_up=1, turns=2),
    sent=prompts.Plan(turns=12),
    starts=1,
)


def test_everything_is_measured() -> None:
    told: list[str] = []
    figures = {figure.name: figure for figure in measure(LITTLE, told.append)}
    assert len(told) == 4
    assert all(isfinite(figure.value) for figure in figures.values())
    assert figures["of them failed"].value == 0
    assert figures["model calls a turn"].value == 1
    assert figures["equal leading part of the prompt, bytes"].value > 90
    assert figures["memory when idle"].value > 50
    assert {name for name, figure in figures.items() if figure.target is not None} >= {
        "CPU of a late turn, times its floor",
        "CPU of a late turn, times an early one",
        "time added to the request",
        "turns a second of many people",
        "uncached tokens a turn",
        "start to ready",
        "database of 1,000 messages",
    }
