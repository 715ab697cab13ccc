"""The order of what comes in: one thing of a chat at a time, live ones after what was missed."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable

Job = Callable[[], Awaitable[None]]
"""Takes in one happening."""


class Intake:
    """Runs the jobs of each chat in order, chats side by side.

    While a chat is held, its jobs wait until it is released.
    """

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self._tasks = tasks
        self._queues: dict[int, deque[Job]] = {}
        self._held: defaultdict[int, list[tuple[Job, int]]] = defaultdict(list)
        self._waits: set[int] | None = set()

    def add(self, chat: int, job: Job, *, message: int = 0) -> None:
        """Run `job` after what `chat` has before it. `message` is the new message that it is."""
        if self._waits is None or chat in self._waits:
            self._held[chat].append((job, message))
        else:
            self._start(chat, [job])

    def hold(self) -> None:
        """From now on let every chat wait."""
        self._waits = None

    def holds(self, chat: int, message: int) -> bool:
        """Whether this new message waits for the release of `chat`."""
        return any(message == one for _, one in self._held.get(chat, ()))

    def hold_only(self, chats: Iterable[int]) -> None:
        """Let only these wait, each for its release."""
        self._waits = set(chats)
        for chat in self._held.keys() - self._waits:
            self.release(chat)

    def release(self, chat: int, first: Iterable[Job] = ()) -> None:
        """Let `chat` go on, with the jobs `first` before those that waited."""
        if self._waits is not None:
            self._waits.discard(chat)
        self._start(chat, [*first, *(job for job, _ in self._held.pop(chat, ()))])

    def _start(self, chat: int, jobs: list[Job]) -> None:
        if not jobs:
            return
        queue = self._queues.get(chat)
        if queue is None:
            queue = self._queues[chat] = deque()
            self._tasks.create_task(self._run(chat, queue))
        queue.extend(jobs)

    async def _run(self, chat: int, queue: deque[Job]) -> None:
        try:
            while queue:
                await queue[0]()
                queue.popleft()
        finally:
            del self._queues[chat]
