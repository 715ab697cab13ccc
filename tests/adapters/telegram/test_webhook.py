"""Web hook mode: Telegram calls us."""

import asyncio
import io
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.telegram import Webhook
from adapters.telegram.webhook import SECRET_HEADER
from companion.errors import SettingsError
from tests.support.bot_api import TOKEN, BotApi
from tests.support.scripted_llm import ScriptedLLM
from tests.support.telegram_rules import Refusal
from tests.support.telegram_world import TelegramWorld, echo, on_telegram

SECRET = "a-long_random-secret"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Caller:
    """What Telegram does with a web hook."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def post(self, body: object, secret: str | None = SECRET) -> int:
        """Call the web hook, and give the status of its answer."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {} if secret is None else {SECRET_HEADER: secret}
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.url, data=io.BytesIO(raw), headers=headers) as answer,
        ):
            return answer.status


@asynccontextmanager
async def called_at(
    tmp_path: Path, api: BotApi, llm: ScriptedLLM
) -> AsyncIterator[tuple[Caller, TelegramWorld]]:
    port = free_port()
    webhook = Webhook(
        url="https://bot.example.com/telegram", secret=SECRET, host="127.0.0.1", port=port
    )
    async with on_telegram(tmp_path, api, llm, webhook=webhook) as there:
        await api.until(lambda: bool(api.webhook.get("url")))
        yield Caller(f"http://127.0.0.1:{port}/telegram"), there


async def test_an_update_is_on_disk_when_it_is_confirmed_and_then_answered(
    tmp_path: Path, api: BotApi
) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, there):
        assert await telegram.post({"update_id": 5, "message": api.message("hi")}) == 200
        assert await there.world.rows("SELECT COUNT(*) FROM inbox") == [(1,)]
        assert await api.until_sent(1) == ["hi"]
        assert not api.called("getUpdates")


async def test_it_is_registered_with_its_secret_and_drops_nothing(
    tmp_path: Path, api: BotApi
) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)):
        assert api.webhook["url"] == "https://bot.example.com/telegram"
        assert api.webhook["secret_token"] == SECRET
        assert api.webhook.get("drop_pending_updates", "false") == "false"
        assert TOKEN not in api.webhook["url"]


async def test_the_same_update_twice_is_confirmed_twice_and_answered_once(
    tmp_path: Path, api: BotApi
) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, _):
        first = {"update_id": 5, "message": api.message("one")}
        assert [await telegram.post(first), await telegram.post(first)] == [200, 200]
        assert await telegram.post({"update_id": 6, "message": api.message("two")}) == 200
        assert await api.until_sent(2) == ["one", "two"]


@pytest.mark.parametrize("secret", [None, "", "wrong", SECRET[:-1], "ä"])
async def test_a_call_without_the_secret_is_refused(
    tmp_path: Path, api: BotApi, secret: str | None
) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, there):
        update = {"update_id": 5, "message": api.message("let me in")}
        assert await telegram.post(update, secret) == 403
        assert await there.world.rows("SELECT COUNT(*) FROM inbox") == [(0,)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * 10_000_000, 413),
        (b"not json", 400),
        (b'{"update_id": 7', 400),
        (b"[" * 100_000, 400),
        (b"\xff\xfe{}", 400),
        (b'{"update_id": 7}', 200),
    ],
)
async def test_a_body_that_was_spoilt_on_its_way_is_refused_so_that_it_comes_again(
    tmp_path: Path, api: BotApi, body: bytes, status: int
) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, there):
        assert await telegram.post(body) == status
        assert await there.world.rows("SELECT COUNT(*) FROM inbox") == [(0,)]
        assert await telegram.post({"update_id": 8, "message": api.message("hi")}) == 200
        assert await api.until_sent(1) == ["hi"]


async def test_a_web_hook_that_telegram_does_not_take_at_once_is_offered_again(
    tmp_path: Path, api: BotApi
) -> None:
    api.faults["setwebhook"].append(Refusal(502, "Bad Gateway"))
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (_, there):
        await there.pauses.until(1, 1.0)
        assert len(api.called("setWebhook")) == 2


@pytest.mark.parametrize("secret", ["", "has spaces", "ä" * 5, "x" * 257])
def test_there_is_no_web_hook_without_a_secret(secret: str) -> None:
    with pytest.raises(SettingsError, match="TELEGRAM_WEBHOOK_SECRET"):
        Webhook(url="https://bot.example.com/", secret=secret, host="127.0.0.1", port=1)


async def test_stopping_takes_the_server_down(tmp_path: Path, api: BotApi) -> None:
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, there):
        there.running.cancel()
        await asyncio.wait([there.running])
        with pytest.raises(aiohttp.ClientConnectionError):
            await telegram.post(b"{}")
