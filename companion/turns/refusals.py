"""What a model refuses again and again stands before the present turn: it is left out then."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

from companion.clock import Clock
from companion.context.fifo_queue import FifoQueue
from companion.context.limits import Limits
from companion.context.queue_manager import QueueManager
from companion.context.summary import left_out
from companion.context.working_context import about_person
from companion.deliveries import Deliveries
from companion.errors import ContextOverflowError, LLMRefusedError
from companion.llm.protocol import Message, Reply, TokenCounter
from companion.memory.person_memory import PersonMemory
from companion.storage import outbox
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.memory_state import Summary
from companion.storage.messages import Entry
from companion.storage.outbox import OutboxItem
from companion.turns.gathering import Batch

logger = logging.getLogger(__name__)

SET_ASIDE = (
    "The model that I think with refuses something that I had kept in mind of you, so I have set"
    " all of that aside. /undo brings it back, then /forget can take out what it stumbles over."
)

Ask = Callable[[Sequence[Message]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shorter:
    """A prompt without what came before the turn. `begins_anew` leaves out what is kept in mind
    of the person too."""

    leaves_out: str
    summary: Summary
    working_context: str
    begins_anew: bool = False


class Refusals:
    """Finds out which part of a prompt is refused, and leaves it out for good.

    Recall storage keeps it. Nothing is left out before an answer has shown that it helps.
    """

    def __init__(
        self,
        queue: QueueManager,
        memory: PersonMemory,
        deliveries: Deliveries,
        counter: TokenCounter,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._memory = memory
        self._deliveries = deliveries
        self._counter = counter
        self._limits = limits
        self._clock = clock

    async def answer(self, batch: Batch, ask: Ask, refusal: LLMRefusedError) -> Reply:
        """The answer that `ask` gets for `batch` when what came before it is left out.

        Raises:
            LLMRefusedError: this is the first `refusal` in a row, or the turn itself is refused.
        """
        events = {item.id for item in (*batch.earlier, batch.lead)}
        older = self._queue.queue.before(events)
        if not _refused_before(older):
            raise refusal
        turn = list(self._queue.queue)[len(older) :]
        for shorter in self._shorter(older, await self._memory.working_context()):
            prompt = self._queue.context.prompt(
                FifoQueue(turn, shorter.summary), shorter.working_context
            )
            try:
                reply = await ask(prompt)
            except (LLMRefusedError, ContextOverflowError):
                continue
            logger.warning("left out of the prompt, which was refused: %s", shorter.leaves_out)
            await self._leave_out(older, shorter, batch.lead)
            return reply
        raise refusal

    def _shorter(self, older: Sequence[Entry], working_context: str) -> Iterator[_Shorter]:
        """What may be sent instead, the one that loses least first."""
        old = self._queue.queue.summary
        if older:
            yield _Shorter(
                leaves_out="earlier messages",
                summary=self._left_out(old, older),
                working_context=working_context,
            )
        if old is not None:
            yield _Shorter(
                leaves_out="the summary",
                summary=self._left_out(None, older),
                working_context=working_context,
            )
        if about_person(working_context):
            yield _Shorter(
                leaves_out="the working context",
                summary=self._left_out(None, older),
                working_context=self._memory.beginning,
                begins_anew=True,
            )

    def _left_out(self, old: Summary | None, older: Sequence[Entry]) -> Summary:
        now = self._clock.now()
        return left_out(old, older, self._counter, limit=self._limits.summary, now=now)

    async def _leave_out(self, older: Sequence[Entry], shorter: _Shorter, item: InboxItem) -> None:
        told: list[OutboxItem] = []

        def begin_anew(tx: Tx) -> None:
            if shorter.begins_anew:
                self._memory.begin_anew_in(tx, item.id)
                now = self._clock.now()
                told.append(outbox.add(tx, item, SET_ASIDE, now=now, notice=True))

        await self._queue.evict(older, shorter.summary, begin_anew)
        for piece in told:
            self._deliveries.add(piece)


def _refused_before(older: Sequence[Entry]) -> bool:
    """Whether the turn before the present one was refused too; what was only noted is no turn."""
    refused = {entry.event for entry in older if entry.withheld}
    for entry in reversed(older):
        if entry.event in refused:
            return True
        if entry.kind == "answer":
            return False
    return not older
