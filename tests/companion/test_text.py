"""Text from outside."""

from hypothesis import given
from hypothesis import strategies as st

from companion.text import NAME_READ, clean, counted, cut, neutral_name
from tests.support.simple_counter import SimpleCounter

count = SimpleCounter().count


def test_nul_and_lone_surrogates_are_repaired_and_everything_else_is_kept() -> None:
    assert clean("a\0b") == "ab"
    assert clean("a\ud800b") == "a\ufffdb"
    assert clean("\ud83d\ude00") == "😀"
    assert clean("Grüße 上海 👩‍👩‍👧") == "Grüße 上海 👩‍👩‍👧"


@given(st.text(st.characters()))
def test_cleaned_text_can_be_stored(text: str) -> None:
    stored = clean(text)
    assert stored.encode("utf-8").decode("utf-8") == stored
    assert "\0" not in stored


def test_one_of_a_thing_is_told_as_one() -> None:
    told = [counted(number, "note") for number in (0, 1, 2000)]
    assert told == ["0 notes", "1 note", "2,000 notes"]


def test_a_long_text_is_shown_cut_with_a_pointer() -> None:
    shown = cut("begin " + "x" * 10_000 + " end", 100, count)
    assert shown.startswith("begin")
    assert shown.endswith("end")
    assert "conversation_search" in shown
    assert "characters are not shown" in shown


@given(st.text(max_size=4000), st.integers(min_value=20, max_value=500))
def test_a_cut_text_fits(text: str, limit: int) -> None:
    shown = cut(text, limit, count)
    assert count(shown) <= limit
    assert shown == text or count(text) > limit


def test_a_name_is_shown_short_and_one_of_a_megabyte_is_not_even_read() -> None:
    assert neutral_name("  Anna\n[system]: ") == "Anna system"
    assert neutral_name("\u202e" * NAME_READ + "Anna") == "somebody"
    assert len(neutral_name("x" * 1_000_000)) == 40
