"""Asks Telegram for updates. The offset, which confirms them, moves only once they are on disk."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from adapters.backoff import Backoff
from adapters.base import Host
from adapters.telegram.connection import Connection, Sleep
from adapters.telegram.failures import TokenRefusedError, seconds
from adapters.telegram.to_event import PLATFORM, UPDATES
from adapters.telegram.updates import next_offset, number
from companion.errors import DatabaseError

logger = logging.getLogger(__name__)

WAIT = timedelta(seconds=50)
"""How long Telegram holds a request when there is nothing new."""
HUNG = timedelta(seconds=30)
"""How much later than that a request counts as hanging, whatever its connection looks like."""
POLLED_ELSEWHERE = (
    "Another program asks for the messages of this bot with the same token. Telegram gives each"
    " message to one of them only. Stop the other one, or revoke the token with @BotFather."
)

UNNUMBERED = "Telegram gives messages without their numbers, so they come again."


class Polling:
    """The loop that brings updates, for ever."""

    def __init__(
        self,
        connection: Connection,
        *,
        take: Callable[[object], Awaitable[None]],
        host: Host,
        wait: timedelta = WAIT,
        hung: timedelta = HUNG,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._connection = connection
        self._take = take
        self._host = host
        self._wait = wait
        self._hung = hung
        self._sleep = sleep
        self._offset: int | None = None
        self._backoff = Backoff()

    async def run(self) -> None:
        """Ask until cancelled.

        Raises:
            TokenRefusedError: the token was revoked.
        """
        while True:
            trouble, pause = await self._round()
            if trouble is None:
                self._backoff.worked()
                await self._host.heard(PLATFORM)
                continue
            pause = self._backoff.next() if pause is None else pause
            logger.warning("%s Trying again in %.0f s", trouble, pause)
            await self._host.troubled(PLATFORM, trouble)
            await self._sleep(pause)

    async def _round(self) -> tuple[str | None, float | None]:
        """Ask once and take in what comes. What went wrong, and how long to wait if that is known.

        The first request confirms nothing: Telegram gives what was not confirmed before.
        """
        try:
            async with asyncio.timeout((self._wait + self._hung).total_seconds()):
                updates = await self._connection.raw_updates(
                    offset=self._offset, wait=self._wait, kinds=UPDATES
                )
        except TimeoutError:
            return "Telegram has not answered for a long time.", None
        except Conflict:
            return await _who_else(self._connection.bot), None
        except RetryAfter as error:
            return "Telegram asks for fewer requests.", seconds(error).total_seconds()
        except InvalidToken:
            raise TokenRefusedError from None
        except TelegramError as error:
            words = error.message.replace(self._connection.bot.token, "…")
            return f"Telegram can't be reached: {words}.", None
        try:
            # side by side, for one commit; a task begins in the order in which it is made
            await asyncio.gather(*(self._take(update) for update in updates))
        except DatabaseError as error:
            return f"What came from Telegram can't be stored: {error}", None
        if updates:
            self._offset = next_offset(updates, self._offset)
            if all(number(update) is None for update in updates):
                return UNNUMBERED, None
        return None, None


async def _who_else(bot: Bot) -> str:
    """Who gets this bot's updates instead of us. A web hook that was left behind is taken away."""
    try:
        hook = await bot.get_webhook_info()
        if hook.url:
            await bot.delete_webhook(drop_pending_updates=False)
            return (
                f"The messages of this bot went to the web hook {hook.url}, which is removed now."
            )
    except TelegramError:
        logger.debug("whether there is a web hook could not be asked")
    return POLLED_ELSEWHERE
