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
from telegram.request import HTTPXRequest

from adapters.backoff import Backoff
from adapters.telegram.failures import TokenRefusedError

logger = logging.getLogger(__name__)

Raw = dict[str, Any]
"""An update as Telegram wrote it."""
Sleep = Callable[[float], Awaitable[None]]

READ_SECONDS = 15.0
CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Connection:
    """A bot that is logged in, and the requests that bring its updates."""

    bot: Bot
    updates: HTTPXRequest

    async def raw_updates(
        self, *, offset: int | None, wait: timedelta, kinds: Sequence[str]
    ) -> list[Raw]:
        """The updates from `offset` on, waited for; asking confirms all before it.

        Not `Bot.get_updates`, which gives none of a hundred when it can't read one of them.
        """
        asked = {"timeout": int(wait.total_seconds()), "allowed_updates": json.dumps(kinds)}
        if offset is not None:
            asked["offset"] = offset
        updates = await self.updates.post(
            f"{self.bot.base_url}/getUpdates?{urlencode(asked)}",
            read_timeout=wait.total_seconds() + READ_SECONDS,
        )
        assert isinstance(updates, list)
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
    updates = HTTPXRequest(connection_pool_size=2, connect_timeout=CONNECT_SECONDS)
    others = HTTPXRequest(
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
        except TelegramError as error:
            words = f"Telegram can't be reached: {error.message}".replace(bot.token, "…")
            pause = backoff.next()
            logger.warning("%s; trying again in %.0f s", words, pause)
            await troubled(words)
            await sleep(pause)
        else:
            return
