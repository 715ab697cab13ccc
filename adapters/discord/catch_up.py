"""After a new session: what was written in known direct messages while nobody listened."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from adapters.backoff import Backoff
from adapters.discord.client import Sleep
from adapters.discord.failures import TROUBLE, in_words
from adapters.discord.intake import Intake, Job
from adapters.discord.unreadable import NEW_MESSAGE, id_of, name_of
from companion.tasks import failure_of

logger = logging.getLogger(__name__)

AT_ONCE = 8
"""Channels whose history is asked for at the same time."""
PAGE = 100
"""Discord's limit for a request."""
MOST_MESSAGES = 2000
"""How much of one channel is read after one gap."""

Raw = dict[str, Any]
JobOf = Callable[[discord.Message], Job]
PutAside = Callable[[str, Exception], Awaitable[None]]


class CatchUp:
    """Reads the history of direct messages; `intake` holds their live messages until then."""

    def __init__(
        self,
        client: discord.Client,
        *,
        intake: Intake,
        job_of: JobOf,
        put_aside: PutAside,
        backoff: Callable[[], Backoff],
        sleep: Sleep,
    ) -> None:
        self._client = client
        self._intake = intake
        self._job_of = job_of
        self._put_aside = put_aside
        self._backoff = backoff
        self._sleep = sleep
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def run(self, last_messages: dict[int, int]) -> None:
        """Read each channel from its last message on, and let it go on after what was missed.

        Whose history can't be had now waits, and nobody else does.
        """
        self._intake.hold_only(last_messages)
        async with asyncio.TaskGroup() as tasks:
            reading = {
                channel: tasks.create_task(self._missed(channel, after))
                for channel, after in last_messages.items()
            }
        missed = {channel: task.result() for channel, task in reading.items()}
        ready = {channel: found for channel, found in missed.items() if found is not None}
        for channel in sorted(ready, key=lambda one: _first(ready[one])):
            await self._release(channel, ready[channel])
        async with asyncio.TaskGroup() as tasks:
            for channel in missed.keys() - ready.keys():
                tasks.create_task(self._keep_trying(channel, last_messages[channel]))

    async def _keep_trying(self, channel: int, after: int) -> None:
        backoff = self._backoff()
        found: list[Raw] | None = None
        while found is None:
            await self._sleep(backoff.next())
            found = await self._missed(channel, after)
        await self._release(channel, found)

    async def _release(self, channel: int, raw: list[Raw]) -> None:
        missed = [one for one in raw if not self._intake.holds(channel, _number(one))]
        jobs: list[Job] = []
        for one in missed:
            error = await failure_of(self._read(channel, one, jobs))
            if error is not None:  # it hides no others
                logger.debug("a message in channel %d can't be read", channel, exc_info=error)
                await self._put_aside(name_of(NEW_MESSAGE, one), error)
        if jobs:
            logger.info("%d messages were missed in channel %d", len(jobs), channel)
        self._intake.release(channel, jobs)

    async def _read(self, channel: int, raw: Raw, jobs: list[Job]) -> None:
        """Put what takes in a message of the history behind `jobs`.

        `history()` would end at the first one that discord.py can't parse.
        """
        where = self._client.get_partial_messageable(channel, type=discord.ChannelType.private)
        state = self._client._connection
        message = discord.Message(state=state, channel=where, data=raw)  # type: ignore[arg-type]
        jobs.append(self._job_of(message))

    async def _missed(self, channel: int, after: int) -> list[Raw] | None:
        """What came after that message, oldest first; None when Discord doesn't tell now."""
        found: list[Raw] = []
        try:
            async with self._turns:
                while len(found) < MOST_MESSAGES:
                    page: Any = await self._client.http.logs_from(channel, PAGE, after=after)
                    if not isinstance(page, list):
                        logger.warning("the history of channel %d is no list", channel)
                        return None
                    known = await self._with_ids(page)
                    found += sorted(known, key=_number)
                    if len(page) < PAGE or not known:
                        return found
                    after = _number(found[-1])
        except (discord.Forbidden, discord.NotFound) as error:
            logger.info("channel %d is closed: %s", channel, in_words(error))
            return []
        except TROUBLE as error:
            logger.warning("the history of channel %d: %s", channel, in_words(error))
            return None
        logger.warning("only %d missed messages of channel %d are read", len(found), channel)
        return found

    async def _with_ids(self, page: list[Any]) -> list[Raw]:
        """What of `page` has a place in the history; the rest is put aside."""
        for one in page:
            if id_of(one) is None:
                await self._put_aside(name_of(NEW_MESSAGE, one), ValueError("it has no id"))
        return [one for one in page if id_of(one) is not None]


def _first(raw: list[Raw]) -> int:
    return _number(raw[0]) if raw else 0


def _number(raw: Raw) -> int:
    return int(raw["id"])
