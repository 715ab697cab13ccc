"""Keeps what goes wrong with one thing on Discord from ending anything else."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from adapters.base import Host
from adapters.discord.client import Sleep
from adapters.discord.failures import TROUBLE, in_words
from adapters.discord.intake import Job
from adapters.discord.to_event import PLATFORM
from companion.error_text import error_text
from companion.errors import DatabaseError
from companion.tasks import failure_of

logger = logging.getLogger(__name__)

DATABASE_PAUSE_SECONDS = 5.0


class Guard:
    """Runs work in `tasks`, and tells the operator of what fails."""

    def __init__(self, host: Host, tasks: asyncio.TaskGroup, sleep: Sleep) -> None:
        self._host = host
        self._tasks = tasks
        self._sleep = sleep

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do `work` beside everything else; that it fails is only logged."""

        async def guarded() -> None:
            error = await failure_of(work)
            if error is not None:
                logger.error("something went wrong with Discord", exc_info=error)

        return self._tasks.create_task(guarded())

    def job(self, take: Callable[[], Awaitable[None]], name: str) -> Job:
        """A job that does `take`, again while the database takes nothing.

        What else fails is put aside under `name`.
        """
        return partial(self._take, take, name)

    async def _take(self, take: Callable[[], Awaitable[None]], name: str) -> None:
        while isinstance(error := await failure_of(take()), DatabaseError):
            logger.error("what Discord gave waits for the database: %s", error)
            await self._sleep(DATABASE_PAUSE_SECONDS)
        if isinstance(error, TROUBLE):
            logger.warning("%s is left out: %s", name, in_words(error))
        elif error is not None:
            logger.debug("%s can't be read", name, exc_info=error)
            await self.unreadable(name, error)

    async def unreadable(self, name: str, error: Exception) -> None:
        """What Discord gave under this name is put aside for the operator."""
        words = error_text(error)
        await self.note(self._host.unreadable(PLATFORM, name, user=None, body="", error=words))

    async def note(self, noting: Awaitable[None]) -> None:
        """Notes about the platform are worth no more than a log line if they fail."""
        try:
            await noting
        except DatabaseError as error:
            logger.warning("a note about Discord is lost: %s", error)
