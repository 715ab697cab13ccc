"""Keeps queue and recall storage in step, warns of memory pressure, and evicts (§2.2)."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from companion.clock import Clock
from companion.context.fifo_queue import FifoQueue
from companion.context.limits import Limits
from companion.context.main_context import MainContext
from companion.context.summary import summarise
from companion.llm.protocol import LLM, TokenCounter
from companion.storage import memory_state, messages, usage, working_contexts
from companion.storage.database import Database, Tx
from companion.storage.memory_state import QueueState, Summary
from companion.storage.messages import Entry
from companion.text import cut

logger = logging.getLogger(__name__)

Also = Callable[[Tx], object]
"""What is done in the same transaction."""

PRESSURE = (
    "[system alert] Memory pressure: the queue is at {share} % of its window, and the oldest"
    " messages will be evicted when it is full. Save what is worth keeping now, with"
    " working_context_append, working_context_replace or archival_storage_insert. The person does"
    " not see this, and need not hear of it: they have had their answer."
)
_PRESSED = PRESSURE.partition("{")[0]


def is_pressure(text: str) -> bool:
    """Whether this entry of the queue tells of memory pressure."""
    return text.startswith(_PRESSED)


class QueueManager:
    """The FIFO queue of one person."""

    def __init__(
        self,
        db: Database,
        person: int,
        *,
        state: QueueState,
        queue: FifoQueue,
        context: MainContext,
        llm: LLM,
        counter: TokenCounter,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._db = db
        self._person = person
        self._warned = state.warned
        self._shown: tuple[Entry, Also] | None = None
        self.queue = queue
        self.context = context
        self._llm = llm
        self._counter = counter
        self._limits = limits
        self._clock = clock

    @property
    def tokens(self) -> int:
        """What the next request takes as counted here, the answer left out."""
        return self.context.tokens + self.queue.tokens

    def entry(self, **fields: object) -> Entry:
        """An entry of the queue, its text cut for the prompt if it is too long, and counted."""
        entry = Entry(said_at=self._clock.now(), tokens=0, **fields)  # type: ignore[arg-type]
        return self._measured(replace(entry, text=self.cut(entry.text)))

    def cut(self, text: str) -> str:
        """`text` as it is shown in the prompt: whole, or cut with a pointer when it is long."""
        return cut(text, self._limits.message, self._counter.count)

    def show(self, entry: Entry, also: Also) -> None:
        """Put `entry` into the queue. It is stored with the next entries, before them, and what
        goes `also` with it is done then: a commit less for each turn."""
        self._shown = (entry, also)
        self.queue.append(entry)
        self.context.counts.add([entry])

    async def append(
        self, entries: Sequence[Entry], also: Also | None = None, *, patient: bool = False
    ) -> None:
        """Put `entries` into queue and recall storage, and do what goes `also` with them."""

        def work(tx: Tx) -> list[Entry]:
            if also is not None:
                also(tx)
            return self.store(tx, *entries)

        self.appended(await self._db.write(work, patient=patient))

    @property
    def all_stored(self) -> bool:
        """Whether nothing is in the queue that is not in recall storage."""
        return self._shown is None

    async def store_what_is_shown(self) -> None:
        """Leave nothing in the queue that is not stored."""
        if not self.all_stored:
            await self.append([])

    def store(self, tx: Tx, *entries: Entry) -> list[Entry]:
        """Put `entries` into recall storage, for `appended` to have once that is committed."""
        stored = []
        if self._shown is not None:
            entry, also = self._shown
            also(tx)
            stored.append(messages.add(tx, self._person, entry))
        return stored + [messages.add(tx, self._person, entry) for entry in entries]

    def appended(self, entries: Sequence[Entry]) -> None:
        """What `store` gave is committed: show it in the queue too."""
        if self._shown is not None:
            self.queue.stored(entries[0].id)
            entries = entries[1:]
            self._shown = None
        self.queue.append(*entries)
        self.context.counts.add(entries)

    async def warn(self, event: int) -> bool:
        """Tell of memory pressure when the queue has got to it, once a fill. True if it did."""
        if self._warned or self.tokens < self._counter.room(self._limits.warn):
            return False
        share = self.tokens * 100 // self._counter.room(self._limits.window)
        alert = self.entry(kind="alert", event=event, text=PRESSURE.format(share=share))
        await self.append([alert], also=lambda tx: memory_state.warn(tx, self._person))
        self._warned = True
        return True

    async def make_room(self, at_most: int | None = None) -> None:
        """Evict until the next request counts `at_most` tokens, by default the flush limit.

        It always gets there: when nothing is left to evict, the present turn is shown cut.
        """
        limit = self._counter.room(self._limits.flush) if at_most is None else at_most
        while self.tokens > limit:
            if not await self._flush():
                self._squeeze(limit)
                return

    async def _flush(self) -> bool:
        wanted = min(self._counter.room(self._limits.evict), self.queue.tokens * 3 // 4)
        evicted = self.queue.oldest(max(wanted, 1))
        if not evicted:
            return False
        old = self.queue.summary
        freed = sum(entry.tokens for entry in evicted)
        # at most half of what goes comes back as summary, so that every flush frees tokens
        limit = min(self._limits.summary, (old.tokens if old else 0) + freed // 2)
        room = self._counter.room(self._limits.window)
        summary, model, cost = await summarise(
            self._llm, self._counter, old, evicted, limit=limit, room=room
        )
        now = self._clock.now()

        def also(tx: Tx) -> None:
            if model:
                usage.add(tx, self._person, now.date(), model, cost)

        await self.evict(evicted, summary, also)
        logger.info("evicted %d messages of %d tokens", len(evicted), freed)
        return True

    async def evict(self, oldest: Sequence[Entry], summary: Summary, also: Also) -> None:
        """Let `summary` stand for the `oldest` messages and all before them, and do what goes
        `also` with it. From then on the working context in force is the one shown."""
        now = self._clock.now()

        def work(tx: Tx) -> working_contexts.Version | None:
            also(tx)
            through = oldest[-1].id if oldest else None
            memory_state.flush(tx, self._person, through=through, summary=summary, now=now)
            return working_contexts.current(tx, self._person)

        version = await self._db.write(work)
        self.queue.evict(len(oldest), summary)
        self._warned = False
        if version is not None:
            self.context.show(version.text)

    def _squeeze(self, limit: int) -> None:
        room = limit - (self.tokens - self.queue.tokens)
        self.queue.squeeze(room, self._shortened)
        logger.warning("one turn fills the window; it is shown cut to %d tokens", room)

    def _shortened(self, entry: Entry, tokens: int) -> Entry:
        return self._measured(replace(entry, text=cut(entry.text, tokens, self._counter.count)))

    def _measured(self, entry: Entry) -> Entry:
        return replace(entry, tokens=self._counter.message(entry.message))
