"""What a line in a terminal means."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal.translate import address, started, to_event
from companion.events import Sender

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
ANNA = Sender(user="anna", name="Anna")
BEN = Sender(user="ben", name="Ben")


@given(st.text())
def test_a_line_is_what_it_says_or_nothing_when_it_is_blank(line: str) -> None:
    event = to_event(line, person=ANNA, at=NOON)
    if line.strip():
        assert event is not None
        assert event.text == line.strip()
        assert (event.sender, event.at, event.address) == (ANNA, NOON, address(ANNA))
    else:
        assert event is None


def test_the_same_line_twice_is_two_events() -> None:
    first, second = (to_event("hello", person=ANNA, at=NOON) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.id != second.id


def test_two_people_have_two_private_conversations() -> None:
    assert address(ANNA) != address(BEN)
    assert address(ANNA).private


def test_starting_again_is_the_same_event_and_another_persons_is_not() -> None:
    assert started(person=ANNA, at=NOON).id == started(person=ANNA, at=NOON).id
    assert started(person=ANNA, at=NOON).id != started(person=BEN, at=NOON).id
