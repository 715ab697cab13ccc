"""A number that nobody ever gave to anything names nothing, however large it is."""

from pathlib import Path

import pytest

from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import a_world

HUGE = ["9" * 25, "9" * 5000, "٩" * 25]


@pytest.mark.parametrize("number", HUGE)
async def test_snoozing_what_was_never_there(tmp_path: Path, number: str) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hm."))) as world:
        assert await world.say(f"/snooze 10m #{number}") == [
            "There was no reminder that I could repeat."
        ]


async def test_replacing_a_note_that_was_never_there(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("archival_storage_insert", {"text": "Likes tea.", "replaces": 2**64})),
        sends("I see."),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I like tea.") == ["I see."]
        assert f"There is no note {2**64}" in llm.prompts[1][-2].text
