"""The part of a long text that a search was about."""

from hypothesis import given
from hypothesis import strategies as st

from companion.search.excerpt import excerpt

LONG = "lorem " * 500 + "The heron was GREY. " + "ipsum " * 500


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("A heron.", "heron", 100) == "A heron."


def test_of_a_long_text_the_words_that_were_looked_for_are_shown() -> None:
    shown = excerpt(LONG, "which grey heron?", 100)
    assert "The heron was GREY." in shown
    assert shown.startswith("[…] ")
    assert shown.endswith(" […]")


def test_without_the_words_the_beginning_is_shown() -> None:
    assert excerpt(LONG, "two", 20) == f"{LONG[:20]} […]"


def test_words_at_the_end_are_shown_with_all_that_fits_before_them() -> None:
    assert excerpt("lorem " * 500 + "heron", "heron", 17) == "[…] lorem lorem heron"


@given(st.text(), st.text(), st.integers(min_value=1, max_value=50))
def test_an_excerpt_stands_in_its_text_and_is_no_longer_than_asked(
    text: str, query: str, chars: int
) -> None:
    shown = excerpt(text, query, chars)
    if len(text) > chars:
        shown = shown.removeprefix("[…] ").removesuffix(" […]")
    assert shown in text
    assert len(shown) <= chars + 4
