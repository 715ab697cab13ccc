"""Text laid out for a screen."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal.layout import WIDEST, hanging

WORDS = st.text("abcdefghij", min_size=1, max_size=12)


def test_later_lines_stand_under_the_first() -> None:
    text = "one two three four five six seven eight"
    assert hanging(text, indent=6, columns=30) == ("one two three four five\n      six seven eight")


def test_paragraphs_code_and_links_stay_as_they_are() -> None:
    link = "https://example.com/" + "x" * 100
    text = f"Look:\n\n    if True:   pass\n{link}"
    assert hanging(text, indent=2, columns=40) == (f"Look:\n  \n      if True:   pass\n  {link}")


@given(st.lists(WORDS), st.integers(0, 20), st.integers(1, 300))
def test_no_word_is_lost_or_cut_and_no_line_is_too_wide(
    words: list[str], indent: int, columns: int
) -> None:
    shown = hanging(" ".join(words), indent=indent, columns=columns)
    assert shown.split() == words
    widest = max(len(line) for line in (" " * indent + shown).splitlines() or [""])
    assert widest <= max(min(columns, WIDEST), indent + 20)


@given(st.text())
def test_any_text_can_be_laid_out(text: str) -> None:
    assert hanging(text, indent=6, columns=80).split() == text.split()
