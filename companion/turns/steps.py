"""A step of a turn: the model's answer is stored, and its calls are carried out, once each."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.clock import Clock
from companion.context.queue_manager import QueueManager
from companion.deliveries import Deliveries
from companion.functions.errand import ModelTurn
from companion.functions.executor import FunctionExecutor, Prepared, Result
from companion.llm.protocol import Call, Reply
from companion.storage import inbox, journal, outbox, usage
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.journal import Done, Step
from companion.storage.messages import Entry
from companion.text import clean


class TakenBackError(Exception):
    """The message was deleted before it was answered."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A step that is on disk, and the results of its first calls where those came with it."""

    step: Step
    results: Sequence[Result] = ()


class Steps:
    """Stores the steps of one person's turns, and carries them out."""

    def __init__(
        self,
        db: Database,
        person: int,
        *,
        name: str,
        queue: QueueManager,
        executor: FunctionExecutor,
        deliveries: Deliveries,
        clock: Clock,
    ) -> None:
        self._db = db
        self._person = person
        self._name = name
        self._queue = queue
        self._executor = executor
        self._deliveries = deliveries
        self._clock = clock

    async def store(
        self, turn: ModelTurn, number: int, reply: Reply, *, unless: str = ""
    ) -> Stored:
        """Store the model's answer, and in the same transaction what its first calls write.

        Raises:
            TakenBackError: the message called `unless` was deleted meanwhile.
        """
        item, now = turn.item, self._clock.now()
        answer = self._queue.entry(
            kind="answer", event=item.id, text=clean(reply.text), calls=reply.calls
        )
        executor = self._executor_of(turn)
        first = {
            n: await executor.prepare(turn, reply, n) for n in range(executor.writes_first(reply))
        }
        mark = self._deliveries.takes_at_once(item)

        def work(tx: Tx) -> tuple[Step, list[Result], list[Entry]]:
            if unless and inbox.is_taken_back(tx, self._person, unless):
                raise TakenBackError
            if reply.model:
                usage.add(tx, self._person, now.date(), reply.model, reply.usage)
            step = journal.add_step(tx, self._person, item.id, number=number, reply=reply, now=now)
            results, told = self._carry_out(tx, turn, step, first, mark)
            return step, results, self._queue.store(tx, answer, *told)

        step, results, stored = await self._db.write(work)
        return Stored(step, self._done(results, stored))

    async def results(self, turn: ModelTurn, stored: Stored) -> AsyncIterator[tuple[Call, Result]]:
        """Each call of the step with what came of it: now, with the step, or before a restart."""
        step = stored.step
        for number, call in enumerate(step.reply.calls):
            done = step.done.get(number)
            if done is not None:
                yield call, _replayed(call, done)
            elif number < len(stored.results):
                yield call, stored.results[number]
            else:
                yield call, await self._run(turn, step, number)

    async def _run(self, turn: ModelTurn, step: Step, number: int) -> Result:
        prepared = {number: await self._executor_of(turn).prepare(turn, step.reply, number)}
        mark = self._deliveries.takes_at_once(turn.item)

        def work(tx: Tx) -> tuple[list[Result], list[Entry]]:
            results, told = self._carry_out(tx, turn, step, prepared, mark)
            return results, self._queue.store(tx, *told)

        (result,) = self._done(*await self._db.write(work))
        return result

    def _carry_out(
        self, tx: Tx, turn: ModelTurn, step: Step, calls: Mapping[int, Prepared], mark: bool
    ) -> tuple[list[Result], list[Entry]]:
        """What comes of `calls`, and what tells the model of it.

        With `mark` it is written down too that the first message is about to be sent.
        """
        executor = self._executor_of(turn)
        results, told = [], []
        for number, prepared in calls.items():
            result = executor.carry_out(tx, turn, step, number, prepared)
            if mark and result.piece is not None:
                outbox.sending(tx, result.piece)
                result = replace(result, piece=replace(result.piece, marked=True))
                mark = False
            results.append(result)
            told.append(self._told(turn.item, step.reply.calls[number], result))
        return results, told

    def _executor_of(self, turn: ModelTurn) -> FunctionExecutor:
        return turn.errand.executor if turn.errand else self._executor

    def _told(self, item: InboxItem, call: Call, result: Result) -> Entry:
        return self._queue.entry(
            kind="result",
            event=item.id,
            text=result.text,
            call_id=call.id,
            speaker=self._name if result.said else "",
            said=result.said,
        )

    def _done(self, results: list[Result], stored: list[Entry]) -> list[Result]:
        """`results`, which are on disk now with what was `stored`."""
        self._queue.appended(stored)
        for result in results:
            if result.piece is not None:
                self._deliveries.add(result.piece)
        return results


def _replayed(call: Call, done: Done) -> Result:
    return Result(
        text=done.result,
        failed=done.failed,
        heartbeat=done.heartbeat,
        silent=call.name == "stay_silent" and not done.failed,
    )
