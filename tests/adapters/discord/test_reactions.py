"""Emoji below messages in Discord."""

from pathlib import Path

from companion.llm.protocol import Reply
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import on_discord
from tests.support.scripted_llm import ScriptedLLM, calls, sends


def reacts(emoji: str) -> Reply:
    return calls(("react", {"emoji": emoji}), ("send_message", {"message": "Well done."}))


async def test_an_emoji_is_put_to_the_message_that_is_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(reacts("🧀")), allowed=[anna]):
        written = await server.says(anna, chat, "I like cheese")
        assert await server.posted(1) == ["Well done."]
    assert server.reactions == [(chat.id, int(written["id"]), "🧀")]


async def test_an_emoji_to_a_message_that_is_gone_costs_no_answer(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    server.faults.append(Fault("PUT", r"/channels/.*/reactions/.*", 404, {"code": 10008}))
    async with on_discord(tmp_path, server, ScriptedLLM(reacts("👍")), allowed=[anna]):
        await server.says(anna, server.direct(anna), "I passed!")
        assert await server.posted(1) == ["Well done."]
    assert server.reactions == []


async def test_a_reaction_names_the_message_that_it_was_put_to(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(sends("Well done."), sends("Glad you like it."))
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await talk.hears(anna, chat, "I passed!")
        await talk.world.companion.quiet()
        await server.reacts(anna, server.history[chat.id][-1], "❤️")
        await talk.taken_in(2)
        await talk.hears(anna, chat, "Really!")
    assert "(Anna reacted with ❤️ to “you: Well done.”)" in "\n".join(
        message.text for message in llm.prompts[1]
    )
