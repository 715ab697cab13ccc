"""The sign that somebody types, while a turn runs and no longer."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from companion.events import Address

LONGEST = timedelta(minutes=5)
UNNOTICED_SECONDS = 0.3
"""An answer that comes so soon needs no sign before it."""

Show = Callable[[Address], Awaitable[None]]
"""Shows the sign once; it knows itself what to do when that fails."""


class TypingSigns:
    """Shows the sign wherever a turn runs, anew before it fades, which it does after `lasts`."""

    def __init__(self, show: Show, tasks: asyncio.TaskGroup, *, lasts: timedelta) -> None:
        self._show = show
        self._tasks = tasks
        self._lasts = lasts
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
        for _ in range(LONGEST // self._lasts):
            await self._show(address)
            await asyncio.sleep(self._lasts.total_seconds())
