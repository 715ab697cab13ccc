"""Queries that ask for several things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.search.parts import MOST, taken_apart


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        (
            "Where did we stay in Rome, and what did it cost?",
            ["Where did we stay in Rome", "what did it cost"],
        ),
        ("When is my exam? Who teaches it?", ["When is my exam", "Who teaches it"]),
        (
            "Wo wohnt Anna und wann hat sie Geburtstag?",
            ["Wo wohnt Anna", "wann hat sie Geburtstag"],
        ),
        ("我们住在哪里？花了多少钱？", ["我们住在哪里", "花了多少钱"]),
    ],
)
def test_questions_that_stand_together_are_taken_apart(query: str, parts: list[str]) -> None:
    assert taken_apart(query) == parts


@pytest.mark.parametrize(
    "query",
    [
        "What do I like and dislike?",
        "Where did we eat, and why?",
        "who? what?",
        "I was in Rome. Where did we stay? What did it cost?",
        "我很难过。为什么他们不喜欢我？我该怎么办？",
        "bread; butter; jam",
        "?",
        "",
        "what bread? " * (MOST + 1),
    ],
)
def test_one_question_talk_and_a_heap_of_questions_stay_whole(query: str) -> None:
    assert taken_apart(query) == []


@given(st.text(alphabet="what who cat?and;。 ", max_size=60))
def test_whatever_is_asked_there_are_no_parts_or_several(query: str) -> None:
    assert len(taken_apart(query)) in {0, *range(2, MOST + 1)}
