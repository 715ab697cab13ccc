"""The sign that somebody types, while a turn runs and no longer."""

import asyncio
import logging

from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import TelegramError

from companion.events import Address

logger = logging.getLogger(__name__)

SHOWN_SECONDS = 4.5
"""Telegram shows it for five."""
LONGEST_SECONDS = 300.0
UNNOTICED_SECONDS = 0.3
"""An answer that comes so soon needs no sign before it."""


class TypingSigns:
    """Shows the sign in every chat where a turn runs."""

    def __init__(self, bot: Bot, tasks: asyncio.TaskGroup) -> None:
        self._bot = bot
        self._tasks = tasks
        self._shown: dict[Address, asyncio.Task[None]] = {}

    def show(self, address: Address, shown: bool) -> None:
        """A turn begins (True) or has ended (False) at `address`."""
        running = self._shown.pop(address, None)
        if running is not None:
            running.cancel()
        if shown:
            self._shown[address] = self._tasks.create_task(self._type(address))

    async def _type(self, address: Address) -> None:
        await asyncio.sleep(UNNOTICED_SECONDS)
        for _ in range(int(LONGEST_SECONDS / SHOWN_SECONDS)):
            try:
                await self._bot.send_chat_action(
                    chat_id=address.chat,
                    action=ChatAction.TYPING,
                    message_thread_id=int(address.thread) if address.thread else None,
                )
            except TelegramError as error:
                logger.debug("typing could not be shown: %s", type(error).__name__)
            await asyncio.sleep(SHOWN_SECONDS)
