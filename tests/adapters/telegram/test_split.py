"""Long answers in pieces that Telegram takes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from adapters.telegram.render import render
from adapters.telegram.rich import Rich
from adapters.telegram.split import LIMIT, MOST_SPANS, split
from companion.text import clean
from tests.adapters.telegram.markdown import FAMILY, answers

SPACE = re.compile(r"\s+")
INVISIBLE = re.compile(r"[\s\u200b\u0000-\u001f\u007f-\u009f\u2028\u2029]+")


def texts(rich: Rich, limit: int = LIMIT) -> list[str]:
    return [piece.text for piece in split(rich, limit)]


@given(answers, st.integers(min_value=12, max_value=300))
@settings(max_examples=400, deadline=None)
def test_pieces_join_to_the_text_and_none_is_over_the_limit(markdown: str, limit: int) -> None:
    rich = render(clean(markdown))
    pieces = texts(rich, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert INVISIBLE.sub("", "".join(pieces)) == INVISIBLE.sub("", rich.text)


@given(
    st.lists(
        st.sampled_from(["a", " ", FAMILY, "🇵🇹", "👍🏽", "e\u0301", "1️⃣", "日"]),
        min_size=1,
        max_size=80,
    ).map("".join)
)
@settings(max_examples=200, deadline=None)
def test_no_character_of_several_code_points_is_cut(text: str) -> None:
    rich = Rich(text)
    joined = [list(iter_graphemes(piece)) for piece in texts(rich, 12)]
    whole = [g for g in iter_graphemes(text) if not g.isspace()]
    assert [g for piece in joined for g in piece if not g.isspace()] == whole


def test_a_text_within_the_limit_is_one_piece() -> None:
    assert len(split(Rich("x" * LIMIT))) == 1
    assert len(split(Rich("😀" * LIMIT))) == 1


def test_what_counts_is_the_length_after_rendering() -> None:
    assert len(split(render("&" * 4000))) == 1
    assert len(split(render("**b** " * 700))) > 0
    assert texts(render(f"**{'x' * 4090}**")) == ["x" * 4090]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One two.\n\nThree four five", ["One two.", "Three four five"]),
        ("One two three\nfour five six", ["One two three", "four five six"]),
        ("One two six. Four five ten.", ["One two six.", "Four five ten."]),
        ("Eins zwei drei vier fünf", ["Eins zwei drei vier", "fünf"]),
        (
            "一二三四五六七八九。一二三四五六七八九十一二",
            ["一二三四五六七八九。", "一二三四五六七八九十一二"],
        ),
    ],
)
def test_a_cut_is_made_at_the_best_border(text: str, pieces: list[str]) -> None:
    assert texts(Rich(text), 20) == pieces


def test_a_link_is_not_cut() -> None:
    rich = render("Look at this [very good page](https://example.com) and come back")
    for piece in split(rich, 24):
        assert "very good page" in piece.text or not piece.spans
    assert texts(Rich("See https://example.com/a/b now"), 25) == [
        "See",
        "https://example.com/a/b",
        "now",
    ]


def test_a_block_of_code_goes_on_with_its_language() -> None:
    lines = [f"    line_{number} = {number}" for number in range(500)]
    rich = render("Look:\n\n```python\n" + "\n".join(lines) + "\n```\n\nDone.")
    pieces = split(rich)
    assert len(pieces) > 1
    for piece in pieces:
        (span,) = piece.spans
        assert (str(span.kind), span.language) == ("pre", "python")
    code = "\n".join(p.text[s.start : s.end] for p in pieces for s in p.spans)
    assert code.split("\n") == lines


def test_bold_goes_on_in_the_next_piece() -> None:
    pieces = split(render(f"**{'word ' * 1000}end**"))
    assert len(pieces) == 2
    assert all([(s.start, s.end) for s in p.spans] == [(0, len(p.text))] for p in pieces)


def test_no_piece_has_more_formatting_than_telegram_keeps() -> None:
    rich = render("**b** c " * 250)
    pieces = split(rich)
    assert all(len(piece.spans) <= MOST_SPANS for piece in pieces)
    assert sum(len(piece.spans) for piece in pieces) == 250


def test_what_nobody_would_see_is_no_piece() -> None:
    assert split(Rich("\u200b \n")) == []
    assert SPACE.sub("", "".join(texts(Rich("a" + " " * 9000 + "b")))) == "ab"
