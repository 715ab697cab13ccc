"""Texts in pieces that Discord takes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.split import FENCE, LIMIT, LONG_CODE, Piece, split

WORDS = st.text(st.sampled_from("ab.!? \n\t`|#é👩‍👧漢。"), max_size=400)
FENCED = st.builds(
    lambda language, code: f"\n```{language}\n{code}\n```\n",
    st.sampled_from(["", "py", "c++"]),
    st.text(st.sampled_from("xy =\n"), max_size=300),
)
TEXTS = st.lists(WORDS | FENCED, max_size=6).map("".join)
LIMITS = st.integers(min_value=40, max_value=200)


def texts(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces]


def letters(text: str) -> str:
    """What is neither blank nor a fence."""
    return re.sub(r"`{3,}|\s", "", text)


@given(TEXTS, LIMITS)
def test_no_piece_is_too_long_or_blank(text: str, limit: int) -> None:
    for piece in texts(split(text, limit)):
        assert len(piece) <= limit
        assert piece.strip()


@given(TEXTS, LIMITS)
def test_every_piece_closes_the_blocks_that_it_opens(text: str, limit: int) -> None:
    for piece in texts(split(text, limit)):
        assert piece.count(FENCE) % 2 == 0


@given(st.lists(WORDS.filter(lambda one: "`" not in one)).map("".join), LIMITS)
def test_nothing_is_lost_and_the_order_is_kept(text: str, limit: int) -> None:
    assert letters("".join(texts(split(text, limit)))) == letters(text)


@given(st.lists(FENCED, max_size=4).map("".join), LIMITS)
def test_no_code_is_lost(text: str, limit: int) -> None:
    def code(of: str) -> str:
        return letters(re.sub(r"```(py|c\+\+)", "", of))

    assert code("\n".join(texts(split(text, limit)))) == code(text)


@pytest.mark.parametrize("text", ["a" * 2001, "word " * 401, "漢" * 2001, "👩‍👧" * 800])
def test_a_little_too_long_is_two_pieces(text: str) -> None:
    pieces = texts(split(text))
    assert [len(piece) <= LIMIT for piece in pieces] == [True, True]
    assert letters("".join(pieces)) == letters(text)


def test_two_thousand_characters_with_a_fence_to_close_are_two_pieces() -> None:
    text = "```py\n" + "x = 1\n" * 333
    assert len(text) > LIMIT
    first, second = texts(split(text))
    assert first.startswith("```py\n")
    assert first.endswith("\n```")
    assert second.startswith("```py\n")
    assert second.endswith("\n```")


def test_exactly_two_thousand_are_one_piece() -> None:
    assert texts(split("a" * 2000)) == ["a" * 2000]


def test_an_open_block_at_the_end_is_closed() -> None:
    assert texts(split("Look:\n```py\nx = 1")) == ["Look:\n```py\nx = 1\n```"]


def test_sixty_lines_of_a_list_are_cut_between_lines() -> None:
    lines = [
        f"- item {number} of a list with some words in it that takes room" for number in range(60)
    ]
    pieces = texts(split("\n".join(lines)))
    assert len(pieces) > 1
    assert "\n".join(pieces).split("\n") == lines


def test_a_block_that_would_be_cut_begins_a_piece_of_its_own() -> None:
    block = "```py\n" + "x = 1\n" * 200 + "```"
    first, second = texts(split("Some words. " * 120 + "\n\n" + block))
    assert FENCE not in first
    assert second == block


def test_a_long_block_is_a_file_with_the_ending_of_its_language() -> None:
    code = "x = 1\n" * 1000
    assert len(code) > LONG_CODE
    assert split(f"Here:\n```python\n{code}```\nEnjoy.") == [
        Piece("Here:"),
        Piece(code.removesuffix("\n"), "code.py"),
        Piece("Enjoy."),
    ]


def test_a_character_of_several_code_points_is_not_torn() -> None:
    for piece in texts(split("👩‍👧" * 50, 50)):
        assert set(piece.replace("👩‍👧", "")) == set()


@pytest.mark.parametrize("text", ["", "  \n ", "``````", "```\n```"])
def test_what_nobody_would_see_is_no_piece(text: str) -> None:
    assert split(text) == []
