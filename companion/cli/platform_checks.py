"""What `companion doctor` sees of the chat platforms: a small request to each that has a token."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2

from adapters.all import DISCORD_TOKEN, TELEGRAM_TOKEN
from companion.cli.database import looked_at
from companion.cli.findings import Finding
from companion.errors import OperatorError
from companion.home import Home
from companion.settings import DiscordSettings, Secrets, Settings, TelegramSettings
from companion.storage import access, people
from companion.storage.database import Tx

PATIENCE = timedelta(seconds=5)

_TELEGRAM_FORM = re.compile(r"\d+:[A-Za-z0-9_-]{30,}")
_DISCORD_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")

READS_ALL = 1 << 18 | 1 << 19
"""Flags of a Discord application that may read all messages, on many servers or on few."""

_NOBODY_YET = (
    "Nobody is let in there yet: start `companion run`, write to the bot, and let yourself in with"
    " `companion people approve` and the code that it answers with."
)


async def check_platforms(
    settings: Settings, home: Home, environ: Mapping[str, str], patience: timedelta = PATIENCE
) -> AsyncIterator[Finding]:
    """A finding for each platform that there is, whether it is set up or not.

    None of their servers is waited for longer than `patience`.
    """
    secrets, telegram, discord = Secrets(environ), settings.telegram, settings.discord
    for about, finding, allowed in (
        ("telegram", await _telegram(telegram, secrets, patience), telegram.allowed),
        ("discord", await _discord(discord, secrets, patience), discord.allowed),
    ):
        works = finding.state == "ok" and not finding.advice
        if works and not allowed and not await _lets_somebody_in(about, home, environ):
            finding = replace(finding, advice=_NOBODY_YET)
        yield finding


async def _lets_somebody_in(platform: str, home: Home, environ: Mapping[str, str]) -> bool:
    def query(tx: Tx) -> bool:
        standings = (
            access.standing(tx, platform, account.user)
            for person in people.everybody(tx)
            for account in people.accounts(tx, person.id)
            if account.platform == platform
        )
        return any(one is not None and one.admitted and not one.revoked for one in standings)

    if not home.database.is_file():
        return False
    try:
        async with looked_at(home, environ) as database:
            return await database.read(query)
    except OperatorError:  # the check of the database tells of it
        return True


async def _telegram(settings: TelegramSettings, secrets: Secrets, patience: timedelta) -> Finding:
    token = secrets.get(TELEGRAM_TOKEN)
    if token is None:
        return _not_set_up("telegram", TELEGRAM_TOKEN, "@BotFather on Telegram gives one (/newbot)")
    if not _TELEGRAM_FORM.fullmatch(token.get_secret_value()):
        advice = "Copy all of what @BotFather gave: digits, a colon, and some 35 characters."
        return _telegram_says("fail", f"{TELEGRAM_TOKEN} holds no token of a bot", advice)
    where = _Where("Telegram", settings.base_url, "telegram.base_url", TelegramSettings().base_url)
    try:
        async with asyncio.timeout(patience.total_seconds()):
            status, body = await _ask(f"{settings.base_url}{token.get_secret_value()}/getMe")
    except (httpx2.HTTPError, TimeoutError) as error:
        return _telegram_says("fail", where.silent(error), where.to_check)
    bot = body.get("result")
    if status == httpx2.codes.OK and isinstance(bot, dict) and bot.get("username"):
        return _web_hook(settings, secrets) or _telegram_says("ok", f"@{bot['username']}")
    if body.get("ok") is False and status in (401, 404):
        from adapters.telegram.failures import TokenRefusedError

        return _telegram_says("fail", str(TokenRefusedError()))
    return _telegram_says("fail", where.strange(status), where.to_check)


def _telegram_says(state: Literal["ok", "fail"], text: str, advice: str = "") -> Finding:
    return Finding(about="telegram", state=state, text=text, advice=advice)


def _web_hook(settings: TelegramSettings, secrets: Secrets) -> Finding | None:
    """What is wrong with the web hook; None if nothing is, or there is to be none."""
    if settings.webhook_url is None:
        return None
    from adapters.telegram import Webhook

    secret = secrets.get("TELEGRAM_WEBHOOK_SECRET")
    try:
        Webhook(
            url=settings.webhook_url,
            secret=secret.get_secret_value() if secret else "",
            host=settings.webhook_host,
            port=settings.webhook_port,
        )
    except OperatorError as error:
        return _telegram_says("fail", str(error))
    return None


async def _discord(settings: DiscordSettings, secrets: Secrets, patience: timedelta) -> Finding:
    token = secrets.get(DISCORD_TOKEN)
    if token is None:
        how = "discord.com/developers/applications shows one, under Bot, Reset Token"
        return _not_set_up("discord", DISCORD_TOKEN, how)
    written = token.get_secret_value()
    if not _DISCORD_FORM.fullmatch(written):
        advice = "Copy all of what Reset Token shows: three parts with a dot between them."
        return _discord_says("fail", f"{DISCORD_TOKEN} holds no token of a bot", advice)
    where = _Where("Discord", settings.api_base, "discord.api_base", DiscordSettings().api_base)
    try:
        async with asyncio.timeout(patience.total_seconds()):
            status, body = await _ask_discord(settings, written, "/users/@me")
            lacks = settings.reads_all and not await _may_read_all(settings, written)
    except (httpx2.HTTPError, TimeoutError) as error:
        return _discord_says("fail", where.silent(error), where.to_check)
    if status == httpx2.codes.UNAUTHORIZED:
        from adapters.discord.failures import TOKEN_REFUSED

        return _discord_says("fail", TOKEN_REFUSED)
    name = body.get("username")
    if status != httpx2.codes.OK or not name:
        return _discord_says("fail", where.strange(status), where.to_check)
    if lacks:
        from adapters.discord.failures import INTENT_MISSING

        return _discord_says("fail", f"{name}. {INTENT_MISSING}")
    return _discord_says("ok", str(name))


def _discord_says(state: Literal["ok", "fail"], text: str, advice: str = "") -> Finding:
    return Finding(about="discord", state=state, text=text, advice=advice)


async def _may_read_all(settings: DiscordSettings, token: str) -> bool:
    """Whether the operator switched on what `channels` and `read_all` need; True if unknown."""
    _, application = await _ask_discord(settings, token, "/oauth2/applications/@me")
    flags = application.get("flags")
    return not isinstance(flags, int) or bool(flags & READS_ALL)


async def _ask_discord(
    settings: DiscordSettings, token: str, path: str
) -> tuple[int, dict[str, Any]]:
    # Discord asks every program to say in this form what it is
    agent = f"DiscordBot (companion, {version('companion')})"
    headers = {"Authorization": f"Bot {token}", "User-Agent": agent}
    return await _ask(f"{settings.api_base}{path}", headers)


async def _ask(
    address: str, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """The HTTP status and the JSON object there; an empty one for anything else."""
    async with httpx2.AsyncClient(timeout=None) as client:
        answer = await client.get(address, headers=headers)
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        body = None
    return answer.status_code, body if isinstance(body, dict) else {}


def _not_set_up(about: str, variable: str, how: str) -> Finding:
    text = f"not set up: {variable} is not set"
    return Finding(about=about, state="ok", text=text, advice=f"To be there, set it: {how}.")


@dataclass(frozen=True, slots=True)
class _Where:
    """A platform's server: its name, its address, and the setting that has it by default."""

    name: str
    address: str
    setting: str
    default: str

    @property
    def _host(self) -> str:
        return f"{self.name} at {urlsplit(self.address).netloc}"

    def silent(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"{self._host} does not answer"
        return f"{self._host} can't be reached"

    @property
    def to_check(self) -> str:
        if self.address == self.default:
            return "Check this machine's network, and try again in some minutes."
        return f"Check that the server runs, and {self.setting} = {json.dumps(self.address)}."

    def strange(self, status: int) -> str:
        return f"{self._host} answers HTTP {status}, and not as {self.name} does"
