"""How much of what answers a question is found."""

from dataclasses import replace
from pathlib import Path

import pytest

from companion.embedders.wordllama import WordLlama
from companion.evaluation.chats import Question, read_chats
from companion.evaluation.recall import ABLATIONS, Answered, asking, figures, measure
from tests.companion.evaluation.test_chats import LOCOMO, write

DATA = Path(__file__).parents[4] / "shared" / "data"


def answered(category: str, evidence: set[str], *found: str) -> Answered:
    return Answered(Question("?", category, frozenset(evidence)), found)


def test_recall_is_the_share_of_evidence_and_any_whether_there_is_some() -> None:
    first, second, together = figures(
        [
            answered("a", {"1", "2"}, "1", "9", "9", "9", "9", "2"),
            answered("b", {"3"}, "9"),
        ]
    )
    assert (first.recall[5].value, first.recall[10].value, first.any[5].value) == (50, 100, 100)
    assert (second.recall[20].value, second.any[20].value) == (0, 0)
    assert (together.category, together.questions, together.recall[5].value) == ("all", 2, 25)
    assert together.recall[5].low <= 25 <= together.recall[5].high


def test_mrr_is_one_by_the_place_of_the_first_that_answers() -> None:
    asked = [answered("a", {"1", "2"}, "9", "2", "1"), answered("a", {"3"}, "9", "8")]
    (line,) = figures(asked)
    assert line.mrr.value == 0.25
    assert line.mrr.low <= 0.25 <= line.mrr.high


def test_a_limit_takes_as_many_questions_of_each_category_always_the_same(tmp_path: Path) -> None:
    (chat,) = read_chats(write(tmp_path, LOCOMO))
    asked = [
        Question(f"{name} {number}?", name, frozenset({"1"}))
        for name in "ab"
        for number in range(9)
    ]
    many = [replace(chat, questions=tuple(asked[:12])), replace(chat, questions=tuple(asked[12:]))]

    def taken(limit: int, seed: int) -> list[Question]:
        return [question for chat in asking(many, limit, seed) for question in chat.questions]

    assert sorted(question.category for question in taken(2, 0)) == ["a", "a", "b", "b"]
    assert taken(2, 0) == taken(2, 0) != taken(2, 1)
    assert set(taken(2, 0)) < set(taken(3, 0))
    assert taken(20, 0) == asked


async def test_a_small_chat_is_searched_in_every_way(tmp_path: Path) -> None:
    reports = await measure(write(tmp_path, LOCOMO), WordLlama(), ABLATIONS)
    assert set(reports) == set(ABLATIONS)
    (single,) = [line for line in reports["all signs"].lines if line.category == "single-hop"]
    assert single.recall[5].value == 100
    assert reports["all signs"].cpu_ms > 0


@pytest.mark.parametrize(
    ("file", "recall_at_10", "any_at_10"), [("locomo_dev.json", 79, 85), ("zh_dev.json", 61, 85)]
)
async def test_long_published_chats_are_found_again_as_well_as_promised(
    file: str, recall_at_10: float, any_at_10: float
) -> None:
    path = DATA / file
    if not path.is_file():
        pytest.skip(f"{path} is not part of the product and is not here")
    report = (await measure(path, WordLlama()))["all signs"]
    assert report.lines[-1].recall[10].value >= recall_at_10
    assert report.lines[-1].any[10].value >= any_at_10
