"""Whether a bot is there on Telegram: what `companion doctor` tells of it."""

import asyncio
import re
from datetime import timedelta
from typing import Literal

import httpx2

from adapters.checking import Where, ask, not_set_up
from adapters.telegram.failures import TokenRefusedError
from adapters.telegram.webhook import Webhook
from adapters.variables import TELEGRAM_TOKEN, WEBHOOK_SECRET
from companion.errors import OperatorError
from companion.findings import Finding
from companion.settings import Secrets, TelegramSettings

_FORM = re.compile(r"\d+:[A-Za-z0-9_-]{30,}")


async def check(settings: TelegramSettings, secrets: Secrets, patience: timedelta) -> Finding:
    """Whether the bot can be had; its server is not waited for longer than `patience`."""
    token = secrets.get(TELEGRAM_TOKEN)
    if token is None:
        return not_set_up("telegram", TELEGRAM_TOKEN, "@BotFather on Telegram gives one (/newbot)")
    if not _FORM.fullmatch(token.get_secret_value()):
        advice = "Copy all of what @BotFather gave: digits, a colon, and some 35 characters."
        return _says("fail", f"{TELEGRAM_TOKEN} holds no token of a bot", advice)
    where = Where("Telegram", settings.base_url, "telegram.base_url", TelegramSettings().base_url)
    try:
        async with asyncio.timeout(patience.total_seconds()):
            status, body = await ask(f"{settings.base_url}{token.get_secret_value()}/getMe")
    except (httpx2.HTTPError, TimeoutError) as error:
        return _says("fail", where.silent(error), where.to_check)
    bot = body.get("result")
    if status == httpx2.codes.OK and isinstance(bot, dict) and bot.get("username"):
        return _web_hook(settings, secrets) or _says("ok", f"@{bot['username']}")
    if body.get("ok") is False and status in (401, 404):
        return _says("fail", str(TokenRefusedError()))
    return _says("fail", where.strange(status), where.to_check)


def _says(state: Literal["ok", "fail"], text: str, advice: str = "") -> Finding:
    return Finding(about="telegram", state=state, text=text, advice=advice)


def _web_hook(settings: TelegramSettings, secrets: Secrets) -> Finding | None:
    """What is wrong with the web hook; None if nothing is, or there is to be none."""
    if settings.webhook_url is None:
        return None
    secret = secrets.get(WEBHOOK_SECRET)
    try:
        Webhook(
            url=settings.webhook_url,
            secret=secret.get_secret_value() if secret else "",
            host=settings.webhook_host,
            port=settings.webhook_port,
        )
    except OperatorError as error:
        return _says("fail", str(error))
    return None
