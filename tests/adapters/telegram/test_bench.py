"""The benchmark, made small."""

from adapters.telegram.bench.run import Plan, measure


def test_a_small_benchmark_loses_nothing_and_knows_how_long_it_took() -> None:
    figures = {figure.name: figure for figure in measure(Plan(chats=3, messages=5))}
    assert [figures[name].value for name in ("lost", "doubled", "out of order")] == [0, 0, 0]
    assert figures["95 of 100 answers came within"].value > 0
