"""`companion run` with Discord, as an operator starts it."""

import asyncio
import signal
import sys
from pathlib import Path

from companion.home import Home
from tests.companion.cli.commands import environment
from tests.support.bot_api import TOKEN as TELEGRAM_TOKEN
from tests.support.bot_api import BotApi
from tests.support.discord_server.payloads import Member
from tests.support.discord_server.server import TOKEN, DiscordServer
from tests.support.model_server import Hang, ModelServer, obliging


def _write_settings(home: Path, config: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "companion.toml").write_text(config, encoding="utf-8")


async def started(home: Path, config: str, **environ: str) -> asyncio.subprocess.Process:
    """`companion run` on `home`, set up by `config`."""
    _set_up(home, config)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "companion",
        "run",
        env=environment(home, {"DISCORD_BOT_TOKEN": TOKEN, **environ}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def _set_up(home: Path, config: str) -> None:
    _write_settings(home, config)


def config(
    server: DiscordServer,
    *allowed: Member,
    model: str = "http://127.0.0.1:1/v1",
    more: str = "",
) -> str:
    return f"""
[embedder]
kind = "none"
[gathering]
pause_seconds = 0
[people]
hello = ""
[discord]
allowed = {[one.id for one in allowed]}
api_base = "{server.api_base}"
gateway = "{server.gateway_url}"
{more}
[[models]]
name = "scripted"
base_url = "{model}"
"""


async def test_it_answers_on_discord_and_telegram_and_stops_when_told(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    async with ModelServer(obliging("Good to hear from you.")) as model, BotApi() as api:
        telegram = (
            f'[telegram]\nallowed = [7]\nbase_url = "{api.base_url}"\n'
            f'base_file_url = "{api.base_file_url}"'
        )
        process = await started(
            tmp_path / "home",
            config(server, anna, model=model.base_url, more=telegram),
            TELEGRAM_BOT_TOKEN=TELEGRAM_TOKEN,
            COMPANION_LOG="DEBUG",
        )
        await server.connected()
        await server.says(anna, server.direct(anna), "hello")
        assert await server.posted(1) == ["Good to hear from you."]
        await api.write("hello")
        assert await api.until_sent(1) == ["Good to hear from you."]
        process.send_signal(signal.SIGTERM)
        _, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert TOKEN not in err.decode()
    assert TOKEN not in Home(tmp_path / "home").log.read_text(encoding="utf-8")


async def test_a_wrong_token_is_one_line_and_exit_code_2(
    tmp_path: Path, server: DiscordServer
) -> None:
    process = await started(tmp_path / "home", config(server), DISCORD_BOT_TOKEN="not-a-token")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert "Reset Token" in err.decode().splitlines()[-1]
    assert "Traceback" not in err.decode()
    assert "not-a-token" not in err.decode()


async def test_a_missing_intent_is_one_line_and_exit_code_2(
    tmp_path: Path, server: DiscordServer
) -> None:
    process = await started(tmp_path / "home", config(server, more="read_all = true"))
    _, err = await process.communicate()
    assert process.returncode == 2
    assert "Message Content Intent" in err.decode().splitlines()[-1]


async def test_told_to_stop_while_two_answers_are_thought_of_both_come_after_the_start(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    home = tmp_path / "home"
    async with ModelServer(lambda asked: Hang()) as model:
        process = await started(home, config(server, anna, ben, model=model.base_url))
        await server.connected()
        for person in (anna, ben):
            await server.says(person, server.direct(person), f"I am {person.name}")
        await server.until(lambda: len(set(server.typing)) == 2)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            _, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert server.posts == []
    async with ModelServer(obliging("Here I am.")) as model:
        process = await started(home, config(server, anna, ben, model=model.base_url))
        assert await server.posted(2) == ["Here I am."] * 2
        assert {post.channel for post in server.posts} == {
            server.direct(anna).id,
            server.direct(ben).id,
        }
        process.send_signal(signal.SIGTERM)
        await process.communicate()


async def test_a_second_process_on_the_same_home_names_the_first(
    tmp_path: Path, server: DiscordServer
) -> None:
    home = tmp_path / "home"
    first = await started(home, config(server))
    await server.connected()
    second = await started(home, config(server))
    _, err = await second.communicate()
    assert second.returncode == 2
    assert f"process {first.pid}" in err.decode()
    first.send_signal(signal.SIGTERM)
    await first.communicate()
    assert first.returncode == 0
