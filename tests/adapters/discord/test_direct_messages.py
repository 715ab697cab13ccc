"""Direct messages, told from end to end: a person writes, the companion answers."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from companion.llm.protocol import Message, Reply, ToolSchema
from tests.support.discord_server.payloads import Member
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import echo, last_said, on_discord
from tests.support.scripted_llm import ScriptedLLM, sends


async def test_a_direct_message_is_answered(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(sends("Hello!")), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hello!"]
        assert server.posts[0].channel == chat.id


async def test_no_intent_is_needed_for_that(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
    (identified,) = server.gateway.identified
    assert identified["intents"] & ~server.gateway.intents_granted == 0


async def test_somebody_types_while_the_answer_is_thought_of(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = WaitingLLM()
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.says(anna, chat, "Hi")
        await server.until(lambda: chat.id in server.typing)
        assert server.posts == []
        llm.may_answer.set()
        await server.posted(1)


async def test_messages_of_one_person_are_answered_in_order(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        said = [f"number {n}" for n in range(8)]
        for text in said:
            await server.says(anna, chat, text)
        assert await server.posted(8) == said


async def test_one_who_waits_keeps_nobody_else_waiting(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    llm = WaitingLLM(only="slow")
    async with on_discord(tmp_path, server, llm, allowed=[anna, ben]) as talk:
        await server.says(anna, server.direct(anna), "slow")
        assert await talk.hears(ben, server.direct(ben), "quick") == ["quick"]
        llm.may_answer.set()
        assert await server.posted(2) == ["quick", "slow"]


async def test_what_is_told_in_one_direct_message_is_nowhere_else(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna, ben]) as talk:
        await talk.hears(anna, server.direct(anna), "My PIN is 4711")
        await talk.hears(ben, server.direct(ben), "Hi")
    assert "4711" not in str(llm.prompts[-1])


async def test_a_name_that_changes_to_another_persons_is_still_the_same_person(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    chat = server.direct(anna)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna, ben]) as talk:
        await talk.hears(anna, chat, "I am the first")
        await talk.hears(Member(anna.id, "Ben"), chat, "I am called Ben now")
        await talk.hears(ben, server.direct(ben), "And I am Ben")
        assert await talk.world.rows("SELECT COUNT(*) FROM person") == [(2,)]
    assert "I am the first" in str(llm.prompts[1])
    assert "I am the first" not in str(llm.prompts[2])


async def test_bots_webhooks_and_system_messages_are_ignored(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, robot = server.person("Anna"), Member(1, "Robot", bot=True)
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, robot]) as talk:
        await server.says(robot, chat, "beep")
        await server.says(anna, chat, "hook", webhook_id="5")
        await server.says(anna, chat, "", type=6)  # pinned something
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


async def test_what_a_reply_answers_is_told_to_the_model(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await talk.hears(anna, chat, "The red one")
        asked = server.history[chat.id][-1]
        await server.says(anna, chat, "No, the blue one", replies_to=asked)
        await server.posted(2)
    assert "in reply to “you: The red one”" in llm.prompts[-1][-2].text


async def test_the_same_number_on_another_platform_is_another_person(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await talk.hears(anna, server.direct(anna), "My PIN is 4711")
        await talk.world.companion.handle(talk.world.message("Hi", name=str(anna.id)))
        await talk.world.companion.quiet()
        assert await talk.world.rows("SELECT COUNT(*) FROM person") == [(2,)]
    assert "4711" not in str(llm.prompts[-1])


class WaitingLLM:
    """Repeats what was said, when it may; with `only`, everything but that text at once."""

    def __init__(self, only: str | None = None) -> None:
        self.may_answer = asyncio.Event()
        self._only = only

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        text = last_said(messages)
        if self._only in (None, text):
            await self.may_answer.wait()
        return sends(text)

    async def close(self) -> None:
        pass


async def test_a_stranger_gets_a_code_and_is_heard_once_it_is_approved(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, eve = server.person("Anna"), server.person("Eve")
    chat = server.direct(eve)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        (told,) = await talk.hears(eve, chat, "Let me in")
        await server.says(eve, chat, "Please")
        await talk.hears(anna, server.direct(anna), "Hi")
        assert len(server.posts) == 2
        assert await talk.world.rows("SELECT name FROM person") == [("Anna",)]
        pairing = talk.world.companion.people.pairing
        await talk.world.db.write(lambda tx: pairing.approve(tx, told[-9:]))
        assert await talk.hears(eve, chat, "Thank you") == ["Thank you"]


async def test_what_strangers_write_on_a_server_is_not_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, eve = server.person("Anna"), server.person("Eve")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.says(eve, channel, f"<@{server.me.id}> hi", mentions=[server.me])
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
        assert await talk.world.rows("SELECT COUNT(*) FROM stranger") == [(0,)]
