"""Buttons below a message in Discord."""

from datetime import timedelta
from pathlib import Path

from tests.support.discord_server.payloads import Channel, Json, Member, message
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import echo, on_discord
from tests.support.scripted_llm import ScriptedLLM

SHOWN_ALONE, UPDATED = 4, 7
"""Discord's types of answers to an interaction: a message of its own, and the one pressed on."""


async def asks(server: DiscordServer, anna: Member, channel: Channel) -> tuple[Json, str, str]:
    """The question whether to forget something, and what its buttons are called."""
    await server.commands_by(anna, channel, "remember", "my bicycle is green")
    await server.posted(1)
    await server.commands_by(anna, channel, "forget", "bicycle")
    await server.posted(2)
    buttons = server.buttons(1)
    assert list(buttons) == ["Forget it", "Keep it"]
    return (message(server.me, channel, "This would go:"), *buttons.values())  # type: ignore[return-value]


async def test_a_press_does_what_the_button_says_and_puts_the_buttons_away(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        shown, yes, _ = await asks(server, anna, chat)
        await server.presses(anna, chat, yes, shown)
        texts = await server.posted(3)
    assert texts[-1] == "Forgotten: 1 entry."
    assert server.callbacks[-1]["type"] == UPDATED
    assert server.callbacks[-1]["data"]["components"] == []


async def test_a_no_only_puts_the_buttons_away(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        shown, _, no = await asks(server, anna, chat)
        await server.presses(anna, chat, no, shown)
        await server.until(lambda: server.callbacks[-1]["type"] == UPDATED)
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


async def test_on_a_server_the_answer_is_for_one_persons_eyes(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        shown, yes, _ = await asks(server, anna, channel)
        await server.presses(anna, channel, yes, shown)
        await server.posted(3)
    assert server.posts[-1].content == "Forgotten: 1 entry."
    assert server.posts[-1].ephemeral


async def test_whoever_presses_twice_is_heard_once(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        shown, yes, _ = await asks(server, anna, chat)
        await server.presses(anna, chat, yes, shown)
        await server.presses(anna, chat, yes, shown)
        await server.posted(3)
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


async def test_whoever_presses_too_late_is_told(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]) as talk:
        shown, yes, _ = await asks(server, anna, chat)
        talk.world.clock.advance(timedelta(days=4))
        await server.presses(anna, chat, yes, shown)
        await server.until(lambda: server.callbacks[-1]["type"] == SHOWN_ALONE)
    told = server.callbacks[-1]["data"]
    assert told["content"] == "That question is over. You can still write what you want."
    assert told["flags"] == 64


async def test_a_press_that_is_answered_too_late_is_heard_all_the_same(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        shown, yes, _ = await asks(server, anna, chat)
        over = Fault("POST", r"/interactions/.*", 404, {"code": 10062, "message": "Unknown"})
        server.faults.append(over)
        await server.presses(anna, chat, yes, shown)
        assert (await server.posted(3))[-1] == "Forgotten: 1 entry."
    assert server.posts[-1].channel == chat.id


async def test_a_strangers_press_does_nothing(tmp_path: Path, server: DiscordServer) -> None:
    anna, eve = server.person("Anna"), server.person("Eve")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        shown, yes, _ = await asks(server, anna, channel)
        await server.presses(eve, channel, yes, shown)
        await server.until(lambda: "in a direct message" in str(server.callbacks[-1]))
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]


async def test_an_unknown_button_does_nothing(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.presses(anna, chat, "somebody else's", message(server.me, chat, "x"))
        await server.presses(anna, chat, "/undo", message(server.me, chat, "x"))
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
