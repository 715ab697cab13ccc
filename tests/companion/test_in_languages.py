"""What the commands do, in people's languages."""

import pytest

from companion.commands.all import FOR_EVERYBODY
from companion.commands.in_languages import LANGUAGES, in_other_languages


@pytest.mark.parametrize("command", ["start", *FOR_EVERYBODY])
def test_every_command_is_told_in_every_language(command: str) -> None:
    words = in_other_languages(command)
    assert tuple(words) == LANGUAGES, f"add a row for {command} to companion/commands/in_languages"
    assert all(1 <= len(text) <= 100 for text in words.values())


def test_a_command_that_nobody_has_translated_stays_english() -> None:
    assert in_other_languages("somersault") == {}
