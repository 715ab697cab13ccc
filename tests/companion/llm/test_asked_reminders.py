"""Reminders that a message asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.llm.asked_reminders import AskedReminder, asked_reminder


@pytest.mark.parametrize(
    ("text", "what", "when"),
    [
        ("Remind me tomorrow at 9 to call Lea", "call Lea", "tomorrow at 9"),
        ("Can you remind me to call Lea tomorrow at 9, please?", "call Lea", "tomorrow at 9"),
        ("Hi! Remind me in 10 minutes that the oven is on.", "the oven is on", "in 10 minutes"),
        ("please remind me about the pills every day at 8", "the pills", "every day at 8"),
        (
            "remind me of Ben's birthday every year on 3 May",
            "Ben's birthday",
            "every year on 3 May",
        ),
        ("remind me next Friday 18:30 of the concert", "the concert", "next Friday 18:30"),
    ],
)
def test_what_and_when_are_told_apart(text: str, what: str, when: str) -> None:
    assert asked_reminder(text) == AskedReminder(what, when)


@pytest.mark.parametrize(
    "text",
    [
        "Remind me what my cat is called?",
        "You remind me of my sister.",
        "tomorrow at 9",
        "remind me tomorrow at 9",
        "remind me",
    ],
)
def test_what_asks_for_none_is_none(text: str) -> None:
    assert asked_reminder(text) is None


@given(st.text(alphabet="remind me to 9 tomorrow at in hours,.é😀", max_size=60))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    found = asked_reminder(f"remind me {text}")
    assert found is None or (found.what and found.when)
