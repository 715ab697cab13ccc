"""Text on its way to people."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.text import printable


@given(st.text())
def test_whatever_is_shown_moves_no_cursor_and_can_be_encoded(text: str) -> None:
    shown = printable(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert all(char in "\t\n" or ord(char) >= 0x20 for char in shown)
    assert not any(0x7F <= ord(char) <= 0x9F for char in shown)


def test_an_escape_sequence_becomes_the_harmless_rest_of_it() -> None:
    assert printable("\x1b[2Jgone\x07\r") == "[2Jgone"


def test_what_people_write_stays_as_it_is() -> None:
    for text in ("två rader\n\tindrag", "上海 👩‍👩‍👧", "a\u0301", "x\r\ny"):
        assert printable(text) == text.replace("\r\n", "\n")


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert printable("a\ud83db") == "a?b"
