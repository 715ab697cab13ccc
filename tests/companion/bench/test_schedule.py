"""The benchmark of claiming, made small: it claims what it says that it does."""

from companion.bench.schedule import Plan, measure


def test_all_that_is_due_is_claimed_once() -> None:
    told: list[str] = []
    figures = {
        one.name: one for one in measure(Plan(rows=500, people=20, due=40, repeats=2), told.append)
    }
    assert figures["lost or doubled"].value == 0
    assert figures["claiming 40 of 500 rows"].value > 0
    assert told == ["with 500 rows, which takes a moment to fill in"]
