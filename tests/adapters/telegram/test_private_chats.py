"""Private chats from end to end: a person writes, the companion answers."""

import asyncio
from pathlib import Path
from typing import Any

from companion.commands.in_languages import LANGUAGES
from companion.llm.protocol import Reply
from tests.support.bot_api import BotApi, person
from tests.support.scripted_llm import ScriptedLLM, says, sends
from tests.support.telegram_world import echo, on_telegram


class ThinkingLLM(ScriptedLLM):
    """Never comes to an end."""

    async def complete(self, *_asked: Any, **_more: Any) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_person_writes_and_reads_the_answer(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(says("Hello, *you*!"))):
        await api.write("Hi")
        assert await api.until_sent(1) == ["Hello, you!"]
        assert [entity["type"] for entity in api.sent[0]["entities"]] == ["italic"]


async def test_messages_are_answered_each_in_order(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        for number in range(20):
            await api.write(f"number {number}")
        assert await api.until_sent(20) == [f"number {number}" for number in range(20)]


async def test_an_update_is_confirmed_only_when_it_is_on_disk(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.write("one")
        await api.until(lambda: not api.waiting)
        assert await there.world.rows("SELECT COUNT(*) FROM inbox") == [(1,)]


async def test_what_was_written_while_we_were_down_is_answered(tmp_path: Path, api: BotApi) -> None:
    await api.write("anybody there?")
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        assert await api.until_sent(1) == ["anybody there?"]
    assert not any("drop_pending_updates" in given for _, given in api.calls)


async def test_the_same_update_given_twice_gets_one_answer(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        message = await api.write("one")
        await api.give({"message": message})
        await api.write("two")
        assert await api.until_sent(2) == ["one", "two"]


async def test_after_a_kill_what_waited_is_answered_once_and_in_order(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ThinkingLLM()):
        for text in ("one", "two", "three"):
            await api.write(text)
        await api.until(lambda: not api.waiting)
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        assert await api.until_sent(3) == ["one", "two", "three"]


async def test_an_empty_list_of_the_allowed_admits_nobody(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm, allowed=()):
        await api.write("hello")
        await api.until_sent(1)
        assert "operator" in api.texts[0]
    assert llm.prompts == []


async def test_bots_are_ignored(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm, allowed=(7, 99)):
        await api.write("I am a bot", **{"from": {**person(99), "is_bot": True}})
        await api.write("I am not")
        assert await api.until_sent(1) == ["I am not"]


async def test_start_opens_the_chat_and_later_means_that_somebody_came_back(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(says("Welcome!"), says("Hi."), says("Welcome back!"))
    async with on_telegram(tmp_path, api, llm):
        await api.write("/start")
        await api.until_sent(1)
        await api.write("hello")
        await api.until_sent(2)
        await api.write("/start")
        await api.until_sent(3)
    assert "opened the chat for the first time" in llm.prompts[0][-2].text
    assert "came back" in llm.prompts[2][-2].text


async def test_the_commands_are_in_the_menu(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        await api.until(lambda: "" in api.commands)
    assert {"memory", "help"} <= {command["command"] for command in api.commands[""]}


async def test_the_menu_is_in_the_persons_language(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        await api.until(lambda: set(LANGUAGES) <= api.commands.keys())
    told = {one["command"]: one["description"] for one in api.commands["de"]}
    assert told["memory"] == "was ich von dir weiß"
    assert told.keys() == {one["command"] for one in api.commands[""]}


async def test_a_menu_that_telegram_knows_is_not_sent_again(tmp_path: Path, api: BotApi) -> None:
    for _ in range(2):
        api.calls.clear()
        async with on_telegram(tmp_path, api, ScriptedLLM()):
            await api.until(lambda: len(api.called("getMyCommands")) == 1 + len(LANGUAGES))
    assert api.called("setMyCommands") == []


async def test_links_have_no_preview(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(says("See https://example.com"))):
        await api.write("where?")
        await api.until_sent(1)
        assert api.sent[0]["preview"] == {"is_disabled": True}


async def test_an_answer_of_which_nothing_would_be_seen_is_made_anew(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(sends("\u200b \u2060"), says("There."))):
        await api.write("hello")
        assert await api.until_sent(1) == ["There."]


async def test_a_voice_message_is_answered_without_the_model_and_noted(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(says("Thanks for writing."))
    voice = {"duration": 12, "file_id": "f", "file_unique_id": "u", "mime_type": "audio/ogg"}
    async with on_telegram(tmp_path, api, llm):
        await api.give({"message": api.message(voice=voice)})
        assert "can't listen" in (await api.until_sent(1))[0]
        assert llm.prompts == []
        await api.write("so I write")
        await api.until_sent(2)
    assert "voice message of 12 s" in "".join(message.text for message in llm.prompts[0])
    assert "[voice]" not in "".join(message.text for message in llm.prompts[0])
