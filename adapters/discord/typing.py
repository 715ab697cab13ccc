"""The sign that somebody types, while a turn runs and no longer."""

import asyncio
import logging
from collections.abc import Callable

import discord

from adapters.discord.failures import TROUBLE
from companion.events import Address

logger = logging.getLogger(__name__)

SHOWN_SECONDS = 8.0
"""Discord shows it for ten."""
LONGEST_SECONDS = 300.0


class TypingSigns:
    """Shows the sign in every channel where a turn runs."""

    def __init__(
        self, client: Callable[[], discord.Client | None], tasks: asyncio.TaskGroup
    ) -> None:
        self._client = client
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
        channel = int(address.thread or address.chat)
        for _ in range(int(LONGEST_SECONDS / SHOWN_SECONDS)):
            client = self._client()
            if client is not None and not client.is_closed():
                try:
                    await client.get_partial_messageable(channel).typing()
                except TROUBLE as error:
                    logger.debug("typing could not be shown: %s", type(error).__name__)
            await asyncio.sleep(SHOWN_SECONDS)
