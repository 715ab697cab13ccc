"""One event of a person at a time, in order; persons side by side."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from weakref import WeakValueDictionary

from companion.storage.erase import Gone
from companion.storage.inbox import InboxItem
from companion.turns.gathering import NOW, Batch, Gathering

Work = Callable[[Batch], Awaitable[timedelta | None]]
"""Deals with a batch. A length of time asks to be called again with the same events then."""


class Lanes:
    """Runs `work` on events. A lane that waits to try again goes on at once when more comes."""

    def __init__(self, tasks: asyncio.TaskGroup, work: Work, gathering: Gathering) -> None:
        self._tasks = tasks
        self._work = work
        self._gathering = gathering
        self._lanes: dict[int, deque[InboxItem]] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._arrived: dict[int, asyncio.Event] = {}
        self._busy: dict[int, asyncio.Event] = {}
        self._at_work: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._settled = asyncio.Event()
        self._settled.set()

    def add(self, item: InboxItem) -> None:
        """Put `item` into its person's lane, by the order in which it was committed."""
        lane = self._lanes.get(item.person)
        if lane is None:
            lane = self._lanes[item.person] = deque()
            self._arrived[item.person] = asyncio.Event()
            self._running[item.person] = self._tasks.create_task(self._run(item.person, lane))
        at = len(lane)
        while at > 1 and lane[at - 1].id > item.id:
            at -= 1
        lane.insert(at, item)
        self._arrived[item.person].set()
        self._busy_with(item.person)

    async def settled(self, person: int | None = None) -> None:
        """Return when no event, of this person's or of anybody's, is being dealt with.

        Some may wait to be tried again.
        """
        if person is None:
            await self._settled.wait()
        elif person in self._busy:
            await self._busy[person].wait()

    @asynccontextmanager
    async def resting(self, person: int) -> AsyncIterator[None]:
        """Wait for what this person's lane does now, and let it do nothing more meanwhile.

        Not for the person's own lane, which would wait for itself.
        """
        async with self._work_of(person):
            yield

    def moved(self, person: int, to: int, conversations: Collection[int] | None = None) -> None:
        """What waits for `person` is for `to` from now on; with `conversations`, what came there.

        What is being dealt with now stays where it is.
        """
        lane = self._lanes.get(person, deque())
        going = [
            item for item in lane if conversations is None or item.conversation in conversations
        ]
        _remove_all(lane, going)
        for item in going:
            item.person = to
            self.add(item)
        if person in self._arrived:
            self._arrived[person].set()

    def gone(self, gone: Gone) -> None:
        """Somebody was erased: their events need nothing more."""
        for person, lane in self._lanes.items():
            rest = [item for item in lane if item.event.id not in gone.events]
            lane.clear()
            lane.extend(rest)
            self._arrived[person].set()

    def cancel(self) -> None:
        """Stop at once. What was not dealt with is taken up at the next start."""
        for task in self._running.values():
            task.cancel()

    async def _run(self, person: int, lane: deque[InboxItem]) -> None:
        try:
            while lane:
                batch = await self._gathered(person, lane)
                if batch is None:
                    break
                self._arrived[person].clear()
                async with self._work_of(person):
                    if not any(item is batch.lead for item in lane):
                        continue  # it was moved, or its person erased, while another was at work
                    delay = await self._work(batch)
                _remove(lane, batch, dealt_with=delay is None)
                if delay is not None:
                    await self._wait(person, delay)
        finally:
            del self._lanes[person], self._arrived[person], self._running[person]
            self._idle(person)

    async def _gathered(self, person: int, lane: deque[InboxItem]) -> Batch | None:
        """The next batch, when nothing has come for a while that belongs to it.

        None when all of the lane was erased meanwhile.
        """
        while lane:
            self._arrived[person].clear()
            batch, wait = self._gathering.next(lane)
            if wait <= NOW:
                return batch
            try:
                async with asyncio.timeout(wait.total_seconds()):
                    await self._arrived[person].wait()
            except TimeoutError:
                return batch
        return None

    async def _wait(self, person: int, delay: timedelta) -> None:
        self._idle(person)
        try:
            async with asyncio.timeout(delay.total_seconds()):
                await self._arrived[person].wait()
        except TimeoutError:
            pass
        self._busy_with(person)

    def _work_of(self, person: int) -> asyncio.Lock:
        return self._at_work.setdefault(person, asyncio.Lock())

    def _busy_with(self, person: int) -> None:
        self._busy.setdefault(person, asyncio.Event())
        self._settled.clear()

    def _idle(self, person: int) -> None:
        ended = self._busy.pop(person, None)
        if ended is not None:
            ended.set()
        if not self._busy:
            self._settled.set()


def _remove(lane: deque[InboxItem], batch: Batch, *, dealt_with: bool) -> None:
    """Take out of `lane` what needs nothing more: once the leading event has begun, all that came
    with it."""
    # by identity: once somebody was erased, the number of an event may come up again
    gone = [batch.lead] if dealt_with else []
    if batch.lead.begun:
        gone += [*batch.earlier, *batch.settled]
    _remove_all(lane, gone)


def _remove_all(lane: deque[InboxItem], gone: Sequence[InboxItem]) -> None:
    rest = [item for item in lane if not any(item is one for one in gone)]
    lane.clear()
    lane.extend(rest)
