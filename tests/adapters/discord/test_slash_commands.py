"""Slash commands."""

from pathlib import Path

from companion.commands.all import COMMANDS
from tests.adapters.discord.test_direct_messages import WaitingLLM
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import echo, on_discord
from tests.support.scripted_llm import ScriptedLLM, sends


async def test_every_command_is_registered_for_servers_and_direct_messages(
    tmp_path: Path, server: DiscordServer
) -> None:
    async with on_discord(tmp_path, server, ScriptedLLM()):
        registered = {command["name"]: command for command in server.commands}
    assert registered.keys() == COMMANDS.keys() | {"start"}
    for command in registered.values():
        assert command["contexts"] == [0, 1]
        assert command["integration_types"] == [0]


async def test_they_are_told_in_peoples_languages(tmp_path: Path, server: DiscordServer) -> None:
    async with on_discord(tmp_path, server, ScriptedLLM()):
        (memory,) = [one for one in server.commands if one["name"] == "memory"]
    told = memory["description_localizations"]
    assert told["de"] == "was ich von dir weiß"
    assert told["es-ES"] == told["es-419"]
    assert told["zh-CN"] == "我记得你的哪些事"
    assert "ja" not in told


async def test_they_are_registered_anew_only_when_they_changed(
    tmp_path: Path, server: DiscordServer
) -> None:
    for _ in range(2):
        async with on_discord(tmp_path, server, ScriptedLLM()):
            assert server.syncs == 1
    server.commands[0]["description"] = "something else"
    async with on_discord(tmp_path, server, ScriptedLLM()):
        assert server.syncs == 2
    server.commands[0]["description_localizations"]["de"] = "etwas anderes"
    async with on_discord(tmp_path, server, ScriptedLLM()):
        assert server.syncs == 3


async def test_a_menu_that_is_refused_ends_nothing(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    server.faults.append(Fault("PUT", r"/applications/\d+/commands", 403, {"code": 50001}))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
        assert server.commands == []


async def test_a_command_in_a_direct_message_is_deferred_at_once_and_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, chat, "remember", "my bicycle is green")
        assert await server.posted(1) == ["Saved."]
        await server.commands_by(anna, chat, "memory")
        (_, memory) = await server.posted(2)
    assert "my bicycle is green" in memory
    assert [callback["type"] for callback in server.callbacks] == [5, 5]
    assert not server.posts[0].ephemeral


async def test_a_command_on_a_server_is_answered_for_one_persons_eyes(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, channel, "privacy")
        await server.posted(1)
    assert server.posts[0].ephemeral


async def test_a_command_on_a_server_shows_nothing_of_direct_messages(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, server.direct(anna), "remember", "my PIN is 4711")
        await server.posted(1)
        await server.commands_by(anna, channel, "memory")
        (_, memory) = await server.posted(2)
    assert "4711" not in memory


async def test_a_long_answer_to_a_command_goes_on_in_more_messages(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        for number in range(3):
            words = f"fact {number} " + "and so on " * 120
            await server.commands_by(anna, channel, "remember", words.strip())
        await server.posted(3)
        await server.commands_by(anna, channel, "memory")
        await server.posted(5)
    assert all(post.ephemeral for post in server.posts)


async def test_start_greets(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    llm = ScriptedLLM(sends("Welcome!"))
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.commands_by(anna, server.direct(anna), "start")
        assert await server.posted(1) == ["Welcome!"]


async def test_a_command_that_takes_long_is_deferred_before_it_is_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    llm = WaitingLLM()
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.commands_by(anna, server.direct(anna), "start")
        await server.until(lambda: server.callbacks)
        assert server.posts == []
        llm.may_answer.set()
        await server.posted(1)


async def test_an_interaction_that_is_over_is_answered_by_a_message(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    over = Fault("POST", r"/interactions/.*", 404, {"code": 10062, "message": "Unknown"})
    server.faults.append(over)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, chat, "remember", "my bicycle is green")
        assert await server.posted(1) == ["Saved."]
    assert server.posts[0].channel == chat.id


async def test_on_a_server_that_message_is_a_direct_one(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    over = Fault("POST", r"/interactions/.*", 404, {"code": 10062, "message": "Unknown"})
    server.faults.append(over)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, channel, "remember", "my bicycle is green")
        await server.posted(1)
    assert server.posts[0].channel == server.direct(anna).id


async def test_a_token_that_ran_out_meanwhile_loses_no_answer(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    ran_out = Fault("PATCH", "/webhooks/.*", 401, {"code": 50027, "message": "Invalid token"})
    server.faults.append(ran_out)
    async with on_discord(tmp_path, server, ScriptedLLM(), allowed=[anna]):
        await server.commands_by(anna, chat, "remember", "my bicycle is green")
        assert await server.posted(1) == ["Saved."]
    assert server.posts[0].channel == chat.id


async def test_a_command_of_a_stranger_is_turned_away(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, eve = server.person("Anna"), server.person("Eve")
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.commands_by(eve, server.channel(), "memory")
        await server.until(lambda: server.callbacks)
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
    (turned_away,) = server.callbacks
    assert "write to me in a direct message" in turned_away["data"]["content"]
    assert turned_away["data"]["flags"] == 64
