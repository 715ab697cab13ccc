"""Direct messages, told from end to end: a person writes, the companion answers."""

from pathlib import Path

from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import echo, on_discord
from tests.support.scripted_llm import ScriptedLLM, sends


async def test_a_direct_message_is_answered(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(sends("Hello!")), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hello!"]
