"""How things stand, as a person asks for it."""

from datetime import timedelta
from pathlib import Path

from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world


async def test_it_tells_what_is_remembered_and_what_is_to_come(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"))) as world:
        (text,) = await world.say("/status")
        assert text.splitlines() == [
            "I remember 0 messages of ours, have 0 lines in mind, and keep 0 notes.",
            "Reminders to come: 0.",
            "I write to you first: never.",
            "Quiet hours: none. For you it is Mon 5 May 2025 12:00 UTC; I don't know where you are.",  # noqa: E501
        ]
        for said in (
            "hello", "/timezone Lisbon", "/remember I play the cello", "/openers rarely",
            "/reminders tomorrow at 9 call Lea", "/quiet 23:00-08:00", "/pause 1w",
        ):  # fmt: skip
            await world.say(said)
        (text,) = await world.say("/status")
    assert text.splitlines() == [
        "I remember 2 messages of ours, have 1 line in mind, and keep 0 notes.",
        "Reminders to come: 1; the next Tue 6 May 2025 09:00 Europe/Lisbon.",
        "I write to you first: rarely.",
        "Only reminders come until Mon 12 May 2025 13:00 Europe/Lisbon.",
        "Quiet hours: 23:00-08:00. For you it is Mon 5 May 2025 13:00 Europe/Lisbon.",
    ]


async def test_it_tells_nothing_of_anybody_else(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"))) as world:
        await world.say("hello", "Ben")
        await world.say("/remember I play the cello", "Ben")
        await world.pass_time(timedelta(minutes=1))
        assert "0 messages of ours, have 0 lines" in (await world.say("/status", "Anna"))[0]
