"""The order of the best hits once their texts are read."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.search.ranking import MESSAGES, Ranking
from companion.search.second_look import Looked, look_again


def order(query: str, *turns: Looked) -> list[int]:
    """The places of `turns`, which come near each other, after a second look."""
    scores = np.linspace(1, 0.99, len(turns), dtype=np.float32)
    ranking = Ranking(np.arange(len(turns)), {"words": scores})
    places: list[int] = look_again(query, ranking, turns, MESSAGES).ids.tolist()
    return places


def test_what_tells_comes_before_what_only_asks() -> None:
    assert order("the cat", Looked("How is the cat?"), Looked("The cat is well.")) == [1, 0]
    assert order("猫", Looked("猫怎么样？"), Looked("猫很好。")) == [1, 0]


def test_what_answers_a_question_comes_before_what_was_not_asked_for() -> None:
    unasked, asked = Looked("the cat is well"), Looked("the cat is well", before="How is she?")
    assert order("the cat", unasked, asked) == [1, 0]


def test_who_asks_when_gets_what_names_a_time() -> None:
    plain, timed = Looked("we got a cat"), Looked("we got a cat last Friday")
    assert order("when did they get a cat?", plain, timed) == [1, 0]
    assert order("who got a cat?", plain, timed) == [0, 1]
    assert order("什么时候养猫的", Looked("养了一只猫"), Looked("昨天养了一只猫")) == [1, 0]


@given(st.integers(0, 9), st.integers(0, 9))
def test_every_hit_stays_and_its_parts_stay_with_it(looked: int, beyond: int) -> None:
    count = looked + beyond
    ids = np.arange(count)[::-1].copy()
    ranking = Ranking(ids, {"words": ids.astype(np.float32)})
    turns = [Looked("what?" if number % 2 else "that", "why?") for number in range(looked)]
    again = look_again("when?", ranking, turns, MESSAGES)
    assert sorted(again.ids.tolist()) == list(range(count))
    assert again.parts["words"].tolist() == again.ids.tolist()
    assert again.ids[looked:].tolist() == ids[looked:].tolist()
