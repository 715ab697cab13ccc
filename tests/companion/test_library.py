"""The companion inside another program."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companion.errors import HomeInUseError, ToolError
from companion.library import open_home, open_memories
from companion.settings import Settings
from tests.support.model_server import Answer, ModelServer, calls, fails, says
from tests.support.virtual_clock import VirtualClock


def settings(server: ModelServer) -> Settings:
    model = {"base_url": server.base_url, "name": "scripted", "window_tokens": 8192}
    return Settings.model_validate({"models": [model]})


async def test_an_agent_answers_remembers_and_knows_it_after_a_restart(tmp_path: Path) -> None:
    script = [
        calls(
            working_context_append={"text": "Anna plays the cello."},
            send_message={"message": "A cello, how lovely!"},
        ),
        says("Still the cello."),
    ]
    async with ModelServer(script) as server:
        async with open_home(tmp_path, settings=settings(server), environ={}) as home:
            anna = home.person("anna", name="Anna")
            assert await anna.say("Hi, I'm Anna, I play the cello") == ["A cello, how lovely!"]
        async with open_home(tmp_path, settings=settings(server), environ={}) as home:
            assert await home.person("anna").say("Well?") == ["Still the cello."]
        assert "Hi, I'm Anna" in str(server.requests[1])


def echo(asked: dict[str, Any]) -> Answer:
    return says("Hello " + asked["messages"][-2]["content"].rpartition(": ")[2])


async def test_people_talk_at_the_same_time_and_get_their_own_answers(tmp_path: Path) -> None:
    async with (
        ModelServer(echo) as server,
        open_home(tmp_path, settings=settings(server), environ={}) as home,
    ):
        names = [f"person {number}" for number in range(10)]
        answers = await asyncio.gather(*(home.person(n).say(f"I am {n}") for n in names))
    assert answers == [[f"Hello I am {name}"] for name in names]


async def test_two_messages_of_one_person_at_once_get_an_answer_each(tmp_path: Path) -> None:
    async with (
        ModelServer(echo) as server,
        open_home(tmp_path, settings=settings(server), environ={}) as home,
    ):
        anna = home.person("anna")
        answers = await asyncio.gather(anna.say("one"), anna.say("two"))
    assert list(answers) == [["Hello one"], ["Hello two"]]


async def test_a_model_that_is_down_is_owned_up_to_and_the_answer_comes_later(
    tmp_path: Path,
) -> None:
    script: list[Answer] = [fails(401, "wrong key"), says("Here I am.")]
    async with ModelServer(script) as server:
        async with open_home(tmp_path, settings=settings(server), environ={}) as home:
            (sorry,) = await home.person("anna").say("hi")
            assert "operator" in sorry
        async with open_home(tmp_path, settings=settings(server), environ={}) as home:
            answers = await home.person("anna").say("/help")
            assert answers[0] == "Here I am."


async def test_memory_alone_needs_no_model(tmp_path: Path) -> None:
    async with open_memories(tmp_path, settings=Settings(), environ={}) as memories:
        anna = await memories.of("anna")
        await anna.add("Anna's cello teacher is called Ruth.")
        await anna.append("Anna lives in Berlin.")
        found = await anna.search("who teaches the cello")
        assert [hit.text for hit in found.items] == ["Anna's cello teacher is called Ruth."]
        assert "Anna lives in Berlin." in await anna.working_context()
        ben = await memories.of("ben")
        assert (await ben.search("cello")).total == 0
        with pytest.raises(ToolError, match="already"):
            await anna.append("Anna lives in Berlin.")
    async with open_memories(tmp_path, settings=Settings(), environ={}) as memories:
        assert "Berlin" in await (await memories.of("anna")).working_context()


async def test_what_is_written_between_two_conversations_is_in_the_next_prompt(
    tmp_path: Path,
) -> None:
    async with ModelServer([says("Hello."), says("Hello again.")]) as server:
        used = settings(server)
        async with open_home(tmp_path, settings=used, environ={}) as home:
            await home.person("anna").say("hi")
        async with open_memories(tmp_path, settings=used, environ={}) as memories:
            anna = await memories.of("anna")
            await anna.append("Anna lives in Rome.")
            await anna.append("Anna has a cat.")
            await anna.replace("Rome", "Berlin")
            await anna.append("Anna is a spy.")
            await anna.undo()
        async with open_home(tmp_path, settings=used, environ={}) as home:
            await home.person("anna").say("hi again")
        head = server.requests[1]["messages"][0]["content"]
        assert head.rstrip().endswith("Anna lives in Berlin.\nAnna has a cat.")


async def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    async with open_memories(
        tmp_path, settings=Settings(), environ={}, clock=VirtualClock()
    ) as memories:
        anna = await memories.of("anna")
        for text in ("She adores kittens.", "The train left late.", "Rent is due on Friday."):
            await anna.add(text)
        await memories.up_to_date()
        found = await anna.search("cats")
        assert found.items[0].text == "She adores kittens."


async def test_a_home_belongs_to_one_program_at_a_time(tmp_path: Path) -> None:
    async with open_memories(tmp_path, settings=Settings(), environ={}):
        with pytest.raises(HomeInUseError, match="in use"):
            async with open_memories(tmp_path, settings=Settings(), environ={}):
                pass
