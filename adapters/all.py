"""The chat platforms that are configured: the one place that knows each of them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta

from adapters.base import Adapter
from adapters.variables import DISCORD_TOKEN, TELEGRAM_TOKEN, WEBHOOK_SECRET
from companion.clock import SystemClock
from companion.commands.all import FOR_EVERYBODY
from companion.findings import Finding
from companion.running import Companion
from companion.settings import Secrets, Settings


def connect(companion: Companion, settings: Settings, environ: Mapping[str, str]) -> list[Adapter]:
    """An adapter for each platform that `environ` has a token for, delivering for `companion`.

    Raises:
        SettingsError: something that one of them needs is missing.
    """
    secrets = Secrets(environ)
    adapters: list[Adapter] = []
    if secrets.get(TELEGRAM_TOKEN) is not None:
        adapters.append(_telegram(companion, settings, secrets))
    if secrets.get(DISCORD_TOKEN) is not None:
        adapters.append(_discord(companion, settings, secrets))
    return adapters


async def check(
    settings: Settings, environ: Mapping[str, str], patience: timedelta
) -> AsyncIterator[tuple[Finding, Sequence[int]]]:
    """How each platform is, and whom its settings let in without a code."""
    from adapters.discord.check import check as check_discord
    from adapters.telegram.check import check as check_telegram

    secrets, telegram, discord = Secrets(environ), settings.telegram, settings.discord
    yield await check_telegram(telegram, secrets, patience), telegram.allowed
    yield await check_discord(discord, secrets, patience), discord.allowed


def _telegram(companion: Companion, settings: Settings, secrets: Secrets) -> Adapter:
    from adapters import telegram

    chosen = settings.telegram
    token, secret = secrets.get(TELEGRAM_TOKEN), secrets.get(WEBHOOK_SECRET)
    assert token is not None
    webhook = None
    if chosen.webhook_url is not None:
        webhook = telegram.Webhook(
            url=chosen.webhook_url,
            secret=secret.get_secret_value() if secret else "",
            host=chosen.webhook_host,
            port=chosen.webhook_port,
        )
    adapter = telegram.Telegram(
        telegram.Account(
            token=token.get_secret_value(),
            base_url=chosen.base_url,
            base_file_url=chosen.base_file_url,
            webhook=webhook,
        ),
        name=settings.agent.name,
        listens=frozenset(chosen.listen),
        host=companion.platforms,
        commands={name: command.help for name, command in FOR_EVERYBODY.items()},
        clock=SystemClock(),
        link_previews=chosen.link_previews,
        poll_wait=timedelta(seconds=chosen.poll_seconds),
    )
    companion.people.allow(telegram.PLATFORM, chosen.allowed)
    companion.deliver(telegram.PLATFORM, adapter.send, pieces=adapter.pieces, ready=adapter.ready)
    companion.typing(telegram.PLATFORM, adapter.typing)
    return adapter


def _discord(companion: Companion, settings: Settings, secrets: Secrets) -> Adapter:
    from adapters import discord

    chosen = settings.discord
    token = secrets.get(DISCORD_TOKEN)
    assert token is not None
    adapter = discord.Discord(
        discord.Account(
            token=token.get_secret_value(), api_base=chosen.api_base, gateway=chosen.gateway
        ),
        name=settings.agent.name,
        admission=discord.Admission(channels=chosen.channels, read_all=chosen.reads_all),
        host=companion.platforms,
        commands=discord.slashes(FOR_EVERYBODY),
        clock=SystemClock(),
    )
    companion.people.allow(discord.PLATFORM, chosen.allowed)
    companion.deliver(discord.PLATFORM, adapter.send, repeatable=True, pieces=adapter.pieces)
    companion.typing(discord.PLATFORM, adapter.typing)
    return adapter
