"""Whether a bot is there on Discord: what `companion doctor` tells of it."""

import asyncio
import re
from datetime import timedelta
from importlib.metadata import version
from typing import Any, Literal

import httpx2

from adapters.checking import Where, ask, not_set_up
from adapters.discord.failures import INTENT_MISSING, TOKEN_REFUSED
from adapters.variables import DISCORD_TOKEN
from companion.findings import Finding
from companion.settings import DiscordSettings, Secrets

_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_READS_ALL = 1 << 18 | 1 << 19
"""Flags of an application that may read all messages, on many servers or on few."""


async def check(settings: DiscordSettings, secrets: Secrets, patience: timedelta) -> Finding:
    """Whether the bot can be had; its server is not waited for longer than `patience`."""
    token = secrets.get(DISCORD_TOKEN)
    if token is None:
        how = "discord.com/developers/applications shows one, under Bot, Reset Token"
        return not_set_up("discord", DISCORD_TOKEN, how)
    written = token.get_secret_value()
    if not _FORM.fullmatch(written):
        advice = "Copy all of what Reset Token shows: three parts with a dot between them."
        return _says("fail", f"{DISCORD_TOKEN} holds no token of a bot", advice)
    where = Where("Discord", settings.api_base, "discord.api_base", DiscordSettings().api_base)
    try:
        async with asyncio.timeout(patience.total_seconds()):
            status, body = await _ask_discord(settings, written, "/users/@me")
            lacks = settings.reads_all and not await _may_read_all(settings, written)
    except (httpx2.HTTPError, TimeoutError) as error:
        return _says("fail", where.silent(error), where.to_check)
    if status == httpx2.codes.UNAUTHORIZED:
        return _says("fail", TOKEN_REFUSED)
    name = body.get("username")
    if status != httpx2.codes.OK or not name:
        return _says("fail", where.strange(status), where.to_check)
    if lacks:
        return _says("fail", f"{name}. {INTENT_MISSING}")
    return _says("ok", str(name))


def _says(state: Literal["ok", "fail"], text: str, advice: str = "") -> Finding:
    return Finding(about="discord", state=state, text=text, advice=advice)


async def _may_read_all(settings: DiscordSettings, token: str) -> bool:
    """Whether the operator switched on what `channels` and `read_all` need; True if unknown."""
    _, application = await _ask_discord(settings, token, "/oauth2/applications/@me")
    flags = application.get("flags")
    return not isinstance(flags, int) or bool(flags & _READS_ALL)


async def _ask_discord(
    settings: DiscordSettings, token: str, path: str
) -> tuple[int, dict[str, Any]]:
    # Discord asks every program to say in this form what it is
    agent = f"DiscordBot (companion, {version('companion')})"
    headers = {"Authorization": f"Bot {token}", "User-Agent": agent}
    return await ask(f"{settings.api_base}{path}", headers)
