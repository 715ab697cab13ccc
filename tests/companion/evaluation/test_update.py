"""Facts that change."""

from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.noted import begins
from companion.evaluation.trace import Called, Exchange
from companion.evaluation.update import TRAITS, Update, UpdateSample, order, upkeep
from tests.companion.evaluation.small import facts_file, reader_bench

SAMPLE = UpdateSample(
    id="a", facts=("Old.", "Other."), old=("Old.",), new="New.", question="?", answer="New"
)


def trace(*items: str) -> list[Exchange]:
    page = f"Page 1 of 1, {len(items)} in all:\n" + "\n".join(items)
    call = Called(name="archival_storage_search", arguments="{}", result=page)
    return [Exchange(model="", text="", calls=(call,))]


def kept(day: int, text: str, more: str = "") -> str:
    return f"[kept Mon {day} Mar 2025 12:00 UTC, from model{more}] {text}"


def test_the_new_fact_before_the_dated_old_one_is_right() -> None:
    scores = order(SAMPLE, trace(kept(9, "New."), kept(3, "Old.", ", until Sun 9 Mar 2025")))
    assert scores == {"first": 1, "top": 1, "dated": 1, "marked": 1}


def test_the_old_fact_before_the_new_one_is_not() -> None:
    scores = order(SAMPLE, trace(kept(3, "Old."), kept(9, "New.")))
    assert scores == {"first": 0, "top": 0, "dated": 1, "marked": 0}


def test_a_fact_of_the_same_day_cannot_be_dated() -> None:
    assert order(SAMPLE, trace(kept(3, "New."), kept(3, "Old.")))["dated"] == 0


def test_an_old_fact_that_is_gone_is_neither_dated_nor_marked() -> None:
    scores = order(SAMPLE, trace(kept(2, "Other."), kept(9, "New.")))
    assert scores == {"first": 1, "top": 0, "dated": 0, "marked": 0}


def test_facts_that_were_kept_in_other_words_are_not_measured() -> None:
    assert set(order(SAMPLE, trace(kept(3, "Something else."))).values()) == {None}
    assert set(order(SAMPLE, []).values()) == {None}


def insertion(text: str, result: str) -> Exchange:
    told = Called(name="archival_storage_insert", arguments=f'{{"text": "{text}"}}', result=result)
    return Exchange(model="", text="", calls=(told,))


PAST = (
    "Kept. Past from now on, as it is: note 3 of 5 March 2025: “{}”. If both are true, insert it."
)


def test_an_old_fact_is_past_at_once_or_is_not() -> None:
    kept_well = insertion("New.", PAST.format("Old."))
    assert upkeep(SAMPLE, [kept_well]) == {"at_once": 1, "spared": 1}
    later = insertion("New.", PAST.format("Old."))
    first = insertion("New.", "Kept in archival storage as note 4.")
    assert upkeep(SAMPLE, [first, later]) == {"at_once": 0, "spared": 1}


def test_a_note_is_known_by_its_beginning() -> None:
    for shown in ("Lives in Ulm.", "Lives in U (…)", "Lives…", "Lives in Ulm"):
        assert begins("Lives in Ulm.", shown)
    assert not begins("Lives in Ulm.", "Lives in Bonn (…)")


def test_another_fact_that_becomes_past_is_counted() -> None:
    wrong = insertion("New.", PAST.format("Other."))
    assert upkeep(SAMPLE, [wrong]) == {"at_once": 0, "spared": 0}
    assert upkeep(SAMPLE, []) == {"at_once": None, "spared": None}


async def test_facts_are_told_kept_contradicted_and_asked_for(tmp_path: Path) -> None:
    update = Update(facts_file(tmp_path))
    (sample,) = update.samples(0)
    async with reader_bench(TRAITS) as bench:
        outcome = await update.run(sample, "companion", bench)
    kept_facts = [call for one in bench.trace for call in one.calls if "insert" in call.name]
    assert len(kept_facts) == 5
    assert "Ada lives in the town of Bonn." in kept_facts[-1].arguments
    assert set(outcome.scores.values()) == {1.0}


@pytest.mark.parametrize("text", ["", "{}", "[]"])
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_text(text)
    with pytest.raises(OperatorError, match=r"facts\.jsonl cannot be read"):
        Update(path).samples(0)
