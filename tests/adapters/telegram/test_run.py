"""`companion run` with Telegram, as an operator starts it."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from companion.home import Home
from tests.companion.cli.commands import environment
from tests.support.bot_api import CONFLICT, TOKEN, BotApi
from tests.support.model_server import ModelServer, obliging


async def started(home: Path, config: str, **environ: str) -> asyncio.subprocess.Process:
    """`companion run` on `home`, set up by `config`."""
    _set_up(home, config)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "companion",
        "run",
        env=environment(home, environ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def _set_up(home: Path, config: str) -> None:
    home.mkdir()
    (home / "companion.toml").write_text(config, encoding="utf-8")


async def status(home: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "companion",
        "status",
        "--json",
        env=environment(home),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return str(json.loads(out)["platforms"])


def config(api: BotApi, model: str = "http://127.0.0.1:1/v1", more: str = "") -> str:
    return f"""
[embedder]
kind = "none"
[gathering]
pause_seconds = 0
[people]
hello = ""
[telegram]
allowed = [7]
base_url = "{api.base_url}"
base_file_url = "{api.base_file_url}"
{more}
[[models]]
name = "scripted"
base_url = "{model}"
"""


async def test_with_a_token_it_answers_on_telegram_and_stops_when_told(
    tmp_path: Path, api: BotApi
) -> None:
    api.faults["getupdates"].append(CONFLICT)
    async with ModelServer(obliging("Good to hear from you.")) as model:
        process = await started(
            tmp_path / "home",
            config(api, model.base_url, more="poll_seconds = 7"),
            TELEGRAM_BOT_TOKEN=TOKEN,
            COMPANION_LOG="DEBUG",
        )
        await api.until(lambda: bool(api.called("getUpdates")))
        assert api.called("getUpdates")[0]["timeout"] == "7"
        await api.write("hello")
        assert await api.until_sent(1) == ["Good to hear from you."]
        process.send_signal(signal.SIGTERM)
        _, err = await process.communicate()
    assert process.returncode == 0
    assert "Another program asks for the messages" in err.decode()
    assert TOKEN not in err.decode()
    log = Home(tmp_path / "home").log.read_text(encoding="utf-8")
    assert "getUpdates" in log
    assert TOKEN not in log
    assert "'name': 'telegram'" in await status(tmp_path / "home")


async def test_a_wrong_token_is_one_line_and_exit_code_2(tmp_path: Path, api: BotApi) -> None:
    process = await started(tmp_path / "home", config(api), TELEGRAM_BOT_TOKEN="1:wrong")
    _, err = await process.communicate()
    assert process.returncode == 2
    lines = [line for line in err.decode().splitlines() if "TELEGRAM_BOT_TOKEN" in line]
    assert len(lines) == 1
    assert err.decode().strip().splitlines()[-1:] == lines
    assert "1:wrong" not in err.decode()


@pytest.mark.parametrize("url", ["https://bot.example.com/hook"])
async def test_a_web_hook_without_a_secret_does_not_start(
    tmp_path: Path, api: BotApi, url: str
) -> None:
    process = await started(
        tmp_path / "home",
        config(api, more=f'webhook_url = "{url}"'),
        TELEGRAM_BOT_TOKEN=TOKEN,
    )
    _, err = await process.communicate()
    assert process.returncode == 2
    assert "TELEGRAM_WEBHOOK_SECRET" in err.decode()
    assert not api.calls
