"""Which turns run at the same time, and who goes first when there are too many."""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

BEHIND = 20
"""So many turns of people who are known go before one of somebody new that came earlier."""


class Turns:
    """Lets `at_once` turns run; those that wait go in their order, new people's behind others."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._numbers = count()
        self._waiting: list[tuple[int, bool, int, asyncio.Future[None]]] = []

    @property
    def full(self) -> bool:
        """Whether a turn would have to wait."""
        return self._free <= 0

    @asynccontextmanager
    async def turn(self, *, new: bool) -> AsyncIterator[None]:
        """Wait until it may run, and hold its place until it has."""
        if self.full:
            await self._wait(new)
        else:
            self._free -= 1
        try:
            yield
        finally:
            self._next()

    async def _wait(self, new: bool) -> None:
        number = next(self._numbers)
        may_run = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (number + BEHIND * new, new, number, may_run))
        try:
            await may_run
        except asyncio.CancelledError:
            if may_run.done() and not may_run.cancelled():
                self._next()  # its place was given to it already
            raise

    def _next(self) -> None:
        """A place is free: for who waits first, or for who comes."""
        while self._waiting:
            *_, may_run = heapq.heappop(self._waiting)
            if not may_run.done():
                may_run.set_result(None)
                return
        self._free += 1
