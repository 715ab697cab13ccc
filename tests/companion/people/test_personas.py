"""Being somebody else: chosen by each person, with what a card brought."""

from pathlib import Path
from typing import Any

import pytest

from companion.errors import OperatorError, SettingsError
from companion.people.cards import Card, Lore
from companion.people.personas import Personas
from companion.settings import AgentSettings
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world

ADA = Card(
    name="Ada Lovelace",
    text="{{char}} counts everything. She calls {{user}} a friend.",
    greetings=("Good day, {{user}}. I am {{char}}.",),
    lore=(Lore(("engine", "Babbage"), "The engine of {{char}} has 25,000 parts."),),
    left_out=(),
)


def with_ada(home: Path) -> Path:
    assert Personas(home, AgentSettings()).add(ADA) == "ada-lovelace"
    return home


async def test_a_person_chooses_whom_to_talk_with_and_nobody_else_notices(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Indeed."), sends("Hi"))
    async with a_world(with_ada(tmp_path), llm) as world:
        await world.say("/remember Lives in Berlin")
        (listed,) = await world.say("/persona")
        assert "I am Mira now (default)" in listed
        assert "- ada-lovelace" in listed
        assert await world.say("/persona ADA-lovelace") == ["Good day, Anna. I am Ada Lovelace."]
        assert await world.say("Hello") == ["Indeed."]
        head = llm.prompts[0][0].text
        assert "You are Ada Lovelace.\nAda Lovelace counts everything." in head
        assert "Lives in Berlin" in head
        assert "You are Mira" not in head
        await world.say("Hello", "Ben")
        assert "You are Mira" in llm.prompts[1][0].text
        said = await world.rows("SELECT DISTINCT speaker FROM message WHERE said = 'Indeed.'")
        assert said == [("Ada Lovelace",)]
        assert "I am Ada Lovelace now" in (await world.say("/persona"))[0]
        assert await world.say("/persona default") == ["I am Mira now."]


async def test_what_a_character_knows_is_told_once_when_it_comes_up(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _: sends("Hm."))
    async with a_world(with_ada(tmp_path), llm) as world:
        await world.say("/persona ada-lovelace")
        await world.say("What about the ENGINE?")
        await world.say("And Babbage?")
        prompt = "\n".join(message.text for message in llm.prompts[-1])
        assert prompt.count("[of your world: The engine of Ada Lovelace has 25,000 parts.]") == 1
        (found,) = (await (await world.memory()).search_messages("engine")).items
        assert found.said == "What about the ENGINE?"


async def test_a_long_character_leaves_room_for_the_person(tmp_path: Path) -> None:
    long = "\n\n".join(f"Part {n}: " + "word " * 150 for n in range(20))
    Personas(tmp_path, AgentSettings()).add(Card(name="Long", text=long, **NOTHING))
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/persona long")
        text = await (await world.memory()).working_context()
        assert len(text) < 2300
        assert "Part 0" in text
        kept = [str(row[0]) for row in await world.rows("SELECT text FROM passage")]
        assert all(
            any(part.startswith(f"Part {n}: ") for part in (*kept, *text.splitlines()))
            for n in range(20)
        )


NOTHING: dict[str, Any] = {"greetings": (), "lore": (), "left_out": ()}


async def test_a_persona_that_is_gone_is_the_one_of_the_settings_again(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"))
    async with a_world(with_ada(tmp_path), llm) as world:
        await world.say("/persona ada-lovelace")
        (tmp_path / "personas" / "ada-lovelace.md").unlink()
        assert await world.say("Hello") == ["Hi"]
        assert "I know no “ada-lovelace”" in (await world.say("/persona ada-lovelace"))[0]


async def test_an_unknown_persona_is_answered_with_those_there_are(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/persona ../../etc/passwd")
    assert text.startswith("I know no “../../etc/passwd”.")
    assert "- default" in text


def test_a_card_does_not_replace_what_is_there(tmp_path: Path) -> None:
    with_ada(tmp_path)
    with pytest.raises(OperatorError, match="There is a persona ada-lovelace already"):
        with_ada(tmp_path)
    name = Personas(tmp_path, AgentSettings()).add(Card(name="../..", text="x", **NOTHING))
    assert name == "character"


def test_a_broken_file_beside_a_persona_is_named(tmp_path: Path) -> None:
    with_ada(tmp_path)
    (tmp_path / "personas" / "ada-lovelace.json").write_text("{")
    with pytest.raises(SettingsError, match=r"ada-lovelace\.json cannot be read"):
        Personas(tmp_path, AgentSettings()).get("ada-lovelace")
