"""For how long an event loop keeps everybody waiting."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from selectors import BaseSelector
from typing import Any

OFTEN = 0.005
"""Seconds after which the loop of a test wants to be woken, whatever else goes on."""


@dataclass
class Stalls:
    """The `longest` time for which the event loop computed without letting others in, and that
    for which it was `held` up, as another thread had the interpreter.

    Counted in this process's own time, so that a machine which is busy with something else does
    not count: that of the loop's thread from when it was woken until it waits again; and while it
    waits, what all threads worked after it was to be woken. `now` is what a test is at.
    """

    longest: float = 0.0
    during: str = ""
    held: float = 0.0
    held_during: str = ""
    now: str = ""
    _woken: float = 0.0

    @contextmanager
    def watching(self, selector: BaseSelector) -> Iterator[None]:
        """Watch the loop that waits with `selector`."""
        select = selector.select

        def watched(timeout: float | None = None) -> Any:
            if self._woken:
                self._note_work(time.thread_time() - self._woken)
            worked, began = time.process_time(), time.perf_counter()
            events = select(timeout)
            if timeout is not None:
                late = time.perf_counter() - began - timeout
                self._note_wait(min(late, time.process_time() - worked))
            self._woken = time.thread_time()
            return events

        setattr(selector, "select", watched)  # noqa: B010 - a selector of this loop alone
        try:
            yield
        finally:
            setattr(selector, "select", select)  # noqa: B010

    def _note_work(self, seconds: float) -> None:
        if seconds > self.longest:
            self.longest, self.during = seconds, self.now

    def _note_wait(self, seconds: float) -> None:
        if seconds > self.held:
            self.held, self.held_during = seconds, self.now


@asynccontextmanager
async def stalls_of_this_loop() -> AsyncIterator[Stalls]:
    """Watch the running loop."""
    stalls = Stalls()
    gc.collect()
    gc.freeze()  # what pytest and its plugins hold is no work of ours
    selector: BaseSelector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    ticking = asyncio.create_task(_tick())
    try:
        with stalls.watching(selector):
            yield stalls
    finally:
        ticking.cancel()
        gc.unfreeze()


async def _tick() -> None:
    while True:  # noqa: ASYNC110 - waits for nothing, so that the loop never waits for long
        await asyncio.sleep(OFTEN)
