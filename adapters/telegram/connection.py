"""The bot's account: connecting with it, and asking Telegram for raw updates."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from adapters.backoff import Backoff
from adapters.telegram.failures import MALFORMED, TokenRefusedError
from adapters.telegram.request import Request
from adapters.telegram.updates import read

logger = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]

READ_SECONDS = 15.0
CONNECT_SECONDS = 10.0
NO_ACCOUNT = "it answers with something else than the bot's account"
NO_UPDATES = "it answers with something else than updates"


@dataclass(frozen=True, slots=True)
class Connection:
    """A bot that is logged in, and the requests that bring its updates."""

    bot: Bot
    updates: Request

    async def raw_updates(
        self, *, offset: int | None, wait: timedelta, kinds: Sequence[str]
    ) -> list[Any]:
        """The updates from `offset` on, waited for; asking confirms all before it.

        Not `Bot.get_updates`, which gives none of a hundred when it can't read one of them; nor
        `post`, which logs all of an answer that it can't read.

        Raises:
            TelegramError: Telegram can't be reached, or answers with no list of updates.
        """
        asked = {"timeout": int(wait.total_seconds()), "allowed_updates": json.dumps(kinds)}
        if offset is not None:
            asked["offset"] = offset
        try:
            body = await self.updates.retrieve(
                f"{self.bot.base_url}/getUpdates?{urlencode(asked)}",
                read_timeout=wait.total_seconds() + READ_SECONDS,
            )
            answer = read(body)
        except MALFORMED:
            raise TelegramError(NO_UPDATES) from None
        updates = answer.get("result") if isinstance(answer, dict) else None
        if not isinstance(updates, list):
            raise TelegramError(NO_UPDATES)
        return updates


@asynccontextmanager
async def connected(
    token: str,
    *,
    base_url: str,
    base_file_url: str,
    sleep: Sleep = asyncio.sleep,
    troubled: Callable[[str], Awaitable[None]],
) -> AsyncIterator[Connection]:
    """A connection, as soon as there is a network.

    Raises:
        TokenRefusedError: there is no bot with this token.
    """
    # Lengths of time as such, which python-telegram-bot will give always in its next version.
    os.environ.setdefault("PTB_TIMEDELTA", "true")
    updates = Request(connection_pool_size=2, connect_timeout=CONNECT_SECONDS)
    others = Request(
        connection_pool_size=64,
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        pool_timeout=60,
    )
    bot = Bot(
        token,
        base_url=base_url,
        base_file_url=base_file_url,
        request=others,
        get_updates_request=updates,
    )
    try:
        await _log_in(bot, sleep, troubled)
        yield Connection(bot, updates)
    finally:
        await bot.shutdown()


async def _log_in(bot: Bot, sleep: Sleep, troubled: Callable[[str], Awaitable[None]]) -> None:
    backoff = Backoff()
    while True:
        try:
            await bot.initialize()
        except InvalidToken:
            raise TokenRefusedError from None
        except (TelegramError, *MALFORMED) as error:
            why = error.message if isinstance(error, TelegramError) else NO_ACCOUNT
            words = f"Telegram can't be reached: {why}".replace(bot.token, "…")
            pause = backoff.next()
            logger.warning("%s; trying again in %.0f s", words, pause)
            await troubled(words)
            await sleep(pause)
        else:
            return
