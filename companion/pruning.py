"""Takes what was dealt with long ago out of the journal, a little at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from companion.clock import Clock
from companion.errors import DatabaseError
from companion.storage.database import Database
from companion.storage.pruning import prune

logger = logging.getLogger(__name__)

KEPT = timedelta(days=7)
"""So long an operator can see what was asked, answered and sent."""
AGAIN = timedelta(days=1)
AT_A_TIME = 50
PAUSE = timedelta(seconds=1)
"""Between two transactions: people come first."""


class Pruning:
    """Runs beside everything else, at the start and then daily."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._clock = clock
        self._sleep = sleep

    async def run(self) -> None:
        """Prune what is old enough, now and every day, until cancelled."""
        while True:
            try:
                await self.run_once()
            except DatabaseError as error:
                logger.warning("old events stay for another day: %s", error)
            await self._sleep(AGAIN.total_seconds())

    async def run_once(self) -> None:
        """Prune all that is old enough."""
        before = self._clock.now() - KEPT
        while await self._db.write(
            lambda tx: prune(tx, before=before, at_most=AT_A_TIME), patient=True
        ):
            await self._sleep(PAUSE.total_seconds())
