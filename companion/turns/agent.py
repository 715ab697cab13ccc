"""One event in; steps until the model yields (§2.4)."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from companion import event_text
from companion.clock import Clock
from companion.context.limits import Limits
from companion.context.queue_manager import Also, QueueManager, is_pressure
from companion.deliveries import Deliveries
from companion.errors import (
    ContextOverflowError,
    LLMRefusedError,
    LLMUnavailableError,
)
from companion.events import FileReceived, MessageReceived, TimerFired
from companion.functions.errand import Errand, ModelTurn
from companion.functions.executor import REPEATS, FunctionExecutor, Repeats, Result
from companion.llm.protocol import LLM, Call, Message, Reply, TokenCounter
from companion.memory.person_memory import PersonMemory
from companion.people.allowance import Allowance
from companion.people.cards import Lore
from companion.people.lorebook import told
from companion.sources import Heard, heard, of_what_is_said
from companion.storage import inbox, journal, outbox
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.journal import Step
from companion.storage.messages import Entry
from companion.text import neutral_name
from companion.timed.arriving import in_its_own_words, must_arrive
from companion.turns.claims import UNSAVED, claims_saved
from companion.turns.consequences import LOOK_AGAIN
from companion.turns.gathering import Batch, albums
from companion.turns.refusals import Refusals
from companion.turns.reply_calls import as_calls, says
from companion.turns.steps import Steps, Stored, TakenBackError

logger = logging.getLogger(__name__)

UNANSWERED = (
    "[system alert] The person has not got an answer yet; they see only what you pass to"
    " send_message. Answer them now."
)
LOOPING = (
    "[system alert] This is the third time that you make this call with this result. Do"
    " something else, or answer the person with send_message."
)
FALLBACK = "Sorry, I lost my thread for a moment. Could you say that once more?"
NOTED = "I've made a note of that."
WRITES = frozenset(
    {
        "working_context_append",
        "working_context_replace",
        "archival_storage_insert",
        "schedule_event",
    }
)
"""Calls that save something."""
OVERFLOWS = 3
"""How often a prompt is made shorter when the endpoint says that it is too long."""


@dataclass(slots=True)
class _Progress:
    """How far a turn has come."""

    sent: list[str]
    silent: bool = False
    wrote: bool = False
    heartbeat: bool = False
    """Whether the last step asked for one."""
    repeated: int = 0
    repeats: Repeats = field(default_factory=Repeats)

    def take(self, call: Call, result: Result) -> None:
        """A call was carried out."""
        if result.said:
            self.sent.append(result.said)
        self.silent = self.silent or result.silent
        self.wrote = self.wrote or (not result.failed and call.name in WRITES)
        self.repeated = max(self.repeated, self.repeats.note(call, result.text))


class Agent:
    """The companion of one person: what goes on between an event and the end of its turn."""

    def __init__(
        self,
        db: Database,
        person: int,
        *,
        name: str,
        lore: Sequence[Lore],
        queue: QueueManager,
        memory: PersonMemory,
        executor: FunctionExecutor,
        deliveries: Deliveries,
        allowance: Allowance,
        llm: LLM,
        counter: TokenCounter,
        limits: Limits,
        max_steps: int,
        clock: Clock,
    ) -> None:
        self._db = db
        self._person = person
        self._lore = lore
        self._queue = queue
        self._memory = memory
        self._executor = executor
        self._allowance = allowance
        self._llm = llm
        self._counter = counter
        self._limits = limits
        self._max_steps = max_steps
        self._clock = clock
        self._steps = Steps(
            db,
            person,
            name=name,
            queue=queue,
            executor=executor,
            deliveries=deliveries,
            clock=clock,
        )
        self._refusals = Refusals(queue, memory, deliveries, counter, limits, clock)

    @property
    def talked(self) -> int:
        """How many messages were said so far, by both."""
        return self._queue.context.counts.recall

    async def tell(self, item: InboxItem, text: str, also: Also | None = None) -> None:
        """Put an alert into the queue behind the event `item`, and do what goes `also` with it."""
        alert = self._queue.entry(kind="alert", event=item.id, text=text)
        await self._queue.append([alert], also)

    async def note(self, batch: Batch) -> None:
        """Put the events of `batch` into the queue, for the next turn to see.

        The leading one stays open.
        """
        if not batch.lead.begun:
            await self._begin(batch)
            await self._queue.store_what_is_shown()
            batch.lead.begun = True

    async def handle(
        self, batch: Batch, *, looks_again: bool = False, errand: Errand | None = None
    ) -> None:
        """Deal with events: run the model until it asks for no heartbeat.

        What was done for them before a restart is replayed from the journal, not done again.
        With `looks_again` they need no answer, only another look at what was kept; an `errand`
        says what else the model is to do.

        Raises:
            LLMUnavailableError: no model answers and the person has seen nothing yet; the event
                stays open.
            TurnEndedError: the model may not be asked any more; what was said is kept.
        """
        item = batch.lead
        taken: Sequence[Step] = ()
        progress = _Progress(sent=[])
        if item.begun:
            taken, progress.sent = await self._db.read(lambda tx: _journal(tx, item))
        else:
            await self._begin(batch)
        turn = ModelTurn(
            item=item,
            memory=self._memory,
            zone=self._queue.context.zone,
            clock=self._clock,
            fits=lambda text: self._counter.count(text) <= self._limits.message,
            heard=lambda: self._db.read(lambda tx: _heard(tx, item)),
            looks_again=looks_again,
            errand=errand,
        )
        try:
            if looks_again:
                await self._tell_once(item, LOOK_AGAIN)
            await self._run_unless_taken_back(turn, batch, taken, progress)
            await self._queue.append(
                [], lambda tx: inbox.finish(tx, self._person, item.id), patient=True
            )
        finally:
            # in the middle of a stop it may be on its way to the disk, and would come there twice
            if not _is_stopped():
                await self._queue.store_what_is_shown()
            # when the database failed too: whoever comes back to it must not begin anew
            item.begun = item.begun or self._queue.all_stored

    async def _begin(self, batch: Batch) -> None:
        """Put the events into the queue; only the leading one stays open."""

        def work(tx: Tx) -> None:
            inbox.begin(tx, self._person, batch.lead.id)
            for item in (*batch.earlier, *batch.settled):
                inbox.finish(tx, self._person, item.id)

        if batch.earlier or batch.settled:
            entries = [self._entry(album) for album in albums((*batch.earlier, batch.lead))]
            await self._queue.append(entries, work)
            batch.lead.begun = True
        else:
            self._queue.show(self._entry([batch.lead]), work)

    def _entry(self, album: Sequence[InboxItem]) -> Entry:
        """One event, or several that are files of one album."""
        item, events = album[-1], [one.event for one in album]
        said = event_text.spoken_with(events)
        where = self._queue.context.zone
        text = event_text.album_text(events, where, self._queue.cut(said))
        return self._queue.entry(
            kind="event",
            event=item.id,
            text=text + told(self._lore, said, (one.text for one in self._queue.queue)),
            speaker="" if isinstance(item.event, TimerFired) else _name_of(item),
            said=said,
            source=of_what_is_said(events),
        )

    async def _run_unless_taken_back(
        self, turn: ModelTurn, batch: Batch, taken: Sequence[Step], progress: _Progress
    ) -> None:
        try:
            await self._run(turn, batch, taken, progress)
        except TakenBackError:
            logger.info("event %d is not answered: its message was deleted", turn.item.id)

    async def _run(
        self, turn: ModelTurn, batch: Batch, taken: Sequence[Step], progress: _Progress
    ) -> None:
        item = turn.item
        number = 0
        most = turn.errand.max_steps if turn.errand else self._max_steps
        while number < most and progress.repeated <= REPEATS:
            try:
                stored = (
                    Stored(taken[number])
                    if number < len(taken)
                    else await self._ask(turn, batch, number, progress)
                )
            except (LLMUnavailableError, LLMRefusedError) as error:
                if must_arrive(item.event):
                    logger.warning("event %d goes without a model: %s", item.id, error)
                    break
                if isinstance(error, LLMRefusedError) or not progress.sent:
                    raise
                logger.warning("no model for a further step; the turn ends with what was sent")
                return
            number += 1
            heartbeat = await self._act(turn, stored, progress)
            owed = progress.heartbeat and self._was_pressed(item)
            progress.heartbeat = heartbeat
            if number < len(taken):
                continue  # it went on before the restart, for a reason that may be gone by now
            if not await self._goes_on(item, turn, progress, heartbeat or owed):
                break
        if not (progress.sent or progress.silent or turn.may_stay_silent):
            line = in_its_own_words(item.event) or (NOTED if progress.wrote else FALLBACK)
            reply = Reply(text="", calls=(says(line, f"say_{item.id}_{number}"),))
            stored = (
                Stored(taken[number])
                if number < len(taken)
                else await self._steps.store(turn, number, reply)
            )
            await self._act(turn, stored, progress)

    async def _ask(self, turn: ModelTurn, batch: Batch, number: int, progress: _Progress) -> Stored:
        await self._allowance.check(turn.item)
        reply = await self._complete(batch, turn.errand)
        last = self._queue.queue.last
        told = progress.sent and last is not None and last.kind == "alert"
        may_say = not told and turn.errand is None
        prefix = f"{turn.item.id}_{number}"
        reply = as_calls(reply, sent=progress.sent, may_say=may_say, prefix=prefix)
        alone = not (batch.earlier or progress.sent)
        return await self._steps.store(
            turn, number, reply, unless=_message(turn.item) if alone else ""
        )

    async def _complete(self, batch: Batch, errand: Errand | None) -> Reply:
        ask = partial(self._ask_model, errand)
        brief = self._counter.message(errand.message) if errand else 0
        limit = self._counter.room(self._limits.flush) - brief if brief else None
        for _ in range(OVERFLOWS):
            await self._queue.make_room(limit)
            counted = self._queue.tokens + brief
            try:
                reply = await ask(self._queue.context.prompt(self._queue.queue))
            except LLMRefusedError as refusal:
                return await self._refusals.answer(batch, ask, refusal)
            except ContextOverflowError as error:
                logger.warning("the endpoint's window is smaller than configured: %s", error)
                told = error.window_tokens
                room = self._counter.room(told - self._limits.answer) if told else counted
                limit = min(room, (limit or counted) * 2 // 3) - brief
                continue
            if reply.usage.prompt_tokens and not reply.reworded:
                self._counter.correct(counted, reply.usage.prompt_tokens)
            return reply
        raise LLMUnavailableError(
            "the endpoint refuses even a short prompt as too long; set models.window_tokens to"
            " what it really has",
            permanent=True,
        )

    async def _ask_model(self, errand: Errand | None, prompt: Sequence[Message]) -> Reply:
        executor = errand.executor if errand else self._executor
        told = [*prompt, errand.message] if errand else prompt
        return await self._llm.complete(told, executor.schemas, answer_tokens=self._limits.answer)

    async def _act(self, turn: ModelTurn, stored: Stored, progress: _Progress) -> bool:
        """Carry out the step's calls, those already done left out. True for a heartbeat."""
        heartbeat = False
        async for call, result in self._steps.results(turn, stored):
            progress.take(call, result)
            if result.zone is not None:
                self._queue.context.zone = result.zone
            heartbeat = heartbeat or result.heartbeat
        return heartbeat

    async def _goes_on(
        self, item: InboxItem, turn: ModelTurn, progress: _Progress, heartbeat: bool
    ) -> bool:
        """Whether the model gets another step: for a heartbeat, or for an alert that it must read.

        An alert never takes the place of a heartbeat: both are kept.
        """
        if turn.errand is not None:
            if progress.sent or progress.silent:
                return False
            return heartbeat or await self._tell_once(item, turn.errand.nudge)
        last = self._queue.queue.last
        alerted = last is not None and last.kind == "alert"
        alerted = await self._queue.warn(item.id) or alerted
        if progress.repeated == REPEATS:
            alerted = await self._tell_once(item, LOOPING) or alerted
        if not progress.wrote and any(map(claims_saved, progress.sent)):
            alerted = await self._tell_once(item, UNSAVED) or alerted
        if heartbeat or alerted or progress.sent or progress.silent or turn.may_stay_silent:
            return heartbeat or alerted
        if self._was_pressed(item):
            await self.tell(item, UNANSWERED)
            return True
        return await self._tell_once(item, UNANSWERED)

    def _was_pressed(self, item: InboxItem) -> bool:
        """Whether the step just taken was given for memory pressure: what was owed is owed yet."""
        entries = self._queue.queue.turn(item.id)
        answers = [at for at, entry in enumerate(entries) if entry.kind == "answer"]
        return bool(answers) and is_pressure(entries[answers[-1] - 1].text)

    async def _tell_once(self, item: InboxItem, text: str) -> bool:
        """Put an alert into the queue, unless this turn has had it. True if it did."""
        if any(entry.text == text for entry in self._queue.queue.turn(item.id)):
            return False
        await self.tell(item, text)
        return True


def _is_stopped() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _journal(tx: Tx, item: InboxItem) -> tuple[list[Step], list[str]]:
    return (
        journal.steps(tx, item.person, item.id),
        outbox.sent_texts(tx, item.person, item.id),
    )


def _heard(tx: Tx, item: InboxItem) -> Heard:
    """Whose words the model hears in the turn of `item`."""
    return heard(
        [*inbox.heard(tx, item.person, item.id), item.event],
        inbox.heard_before(tx, item.person, item.id),
    )


def _message(item: InboxItem) -> str:
    """The platform's id of the message that is to be answered, by which it may be taken back."""
    return item.event.message if isinstance(item.event, MessageReceived | FileReceived) else ""


def _name_of(item: InboxItem) -> str:
    return neutral_name(item.event.sender.name) if not isinstance(item.event, TimerFired) else ""
