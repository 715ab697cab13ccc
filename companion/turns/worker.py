"""Deals with one event of a lane: a command or a turn, and what to do when it fails."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from companion import logs
from companion.clock import Clock
from companion.commands import by_word
from companion.commands.declare import command_in, command_name
from companion.error_text import error_text
from companion.errors import (
    DatabaseError,
    LLMRefusedError,
    LLMUnavailableError,
    TurnEndedError,
)
from companion.events import (
    Address,
    FileReceived,
    HeldUp,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    Notice,
    TimerFired,
)
from companion.people.access import Access
from companion.people.manners import Manners
from companion.storage import (
    inbox,
    messages,
    people,
)
from companion.storage.choices import last_choices
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.timed.firing import MISSED
from companion.timed.turns import MISSED_WORDS, TimedTurns, without_a_model
from companion.turns.agent import Agent
from companion.turns.agents import Agents
from companion.turns.answering import Answering
from companion.turns.command_turns import CommandTurns
from companion.turns.consequences import Consequence, consequence, of_edit
from companion.turns.deletions import forget
from companion.turns.gathering import Batch

logger = logging.getLogger(__name__)

LATER = "I can't think clearly right now. I have your message, and will answer as soon as I can."
BROKEN = (
    "Something is wrong on my side that my operator has to mend. I have your message, and will"
    " answer when that is done."
)
FAILED = "Something went wrong while I was answering, and I had to give up on that message. Sorry."
REFUSED = (
    "I can't answer that one: the model that I think with refuses it. Let's try it differently?"
)
UNHEARD = "I can't listen to voice messages here. Could you write it to me?"
UNCHANGED = "Nothing is changed."
BACK_OFF = tuple(timedelta(minutes=m) for m in (1, 2, 5, 15, 60))
"""Pauses between tries: the first that is as long as it has failed by now, or the longest."""
ATTEMPTS = 30
GIVE_UP_AFTER = timedelta(days=1)
"""Both have to be reached: somebody who writes again and again has an event tried as often."""
DATABASE_PAUSE = timedelta(seconds=30)

NEW = timedelta(days=1)
"""Somebody who came so lately waits behind others when too many want an answer."""

ShowTyping = Callable[[Address, bool], None]
ShowHeldUp = Callable[[Address, HeldUp], None]
AfterTurn = Callable[[Agent, InboxItem], Awaitable[None]]
"""What else is done when the turn of an event has ended."""


class Worker:
    """The work of a lane."""

    def __init__(
        self,
        db: Database,
        *,
        agents: Agents,
        commands: CommandTurns,
        timed: TimedTurns,
        answering: Answering,
        access: Access,
        after_turns: Sequence[AfterTurn],
        manners: Manners,
        typing: ShowTyping,
        held_up: ShowHeldUp,
        clock: Clock,
    ) -> None:
        self._db = db
        self._agents = agents
        self._commands = commands
        self._timed = timed
        self._answering = answering
        self._access = access
        self._after_turns = after_turns
        self._manners = manners
        self._typing = typing
        self._held_up = held_up
        self._clock = clock

    async def handle(self, batch: Batch) -> timedelta | None:
        """Deal with `batch`. None when that is done, else how long to wait before trying again."""
        item = batch.lead
        logs.conversation.set(str(item.conversation))
        try:
            return await self._guarded(batch)
        except DatabaseError as error:
            self._agents.discard(item.person)
            logger.error("event %d waits for the database: %s", item.id, error)  # noqa: TRY400
            self._held_up(item.address, HeldUp(cause=str(error), again=DATABASE_PAUSE))
            return DATABASE_PAUSE

    async def _guarded(self, batch: Batch) -> timedelta | None:
        item = batch.lead
        try:
            await self._handle(batch)
        except LLMUnavailableError as error:
            return await self._postpone(item, error)
        except TurnEndedError as error:
            words = str(error)
            await self._answering.answer(
                item, lambda tx: without_a_model(tx, item, words, self._clock.now())
            )
        except LLMRefusedError as error:
            logger.warning("event %d is refused by every model: %s", item.id, error)
            await self._answering.answer(item, lambda tx: _refused(tx, batch))
            self._agents.discard(item.person)
        except DatabaseError:
            raise
        except Exception as error:
            self._agents.discard(item.person)
            logger.error("event %d is given up: %s", item.id, error_text(error))  # noqa: TRY400
            logger.debug("event %d failed", item.id, exc_info=error)
            await self._bury(item, error)
        return None

    async def _handle(self, batch: Batch) -> None:
        item = batch.lead
        if await self._db.read(lambda tx: self._access.is_shut_out(tx, item)):
            await self._drop(batch)
            return
        if isinstance(item.event, Notice):
            text = item.event.text
            await self._answering.answer(item, lambda _tx: text)
            return
        if isinstance(item.event, TimerFired):
            await self._timer(batch, item.event)
            return
        if self._is_too_fast(batch):
            await self._note_only(batch)
            return
        if await self._is_command(batch):
            return
        follows = await self._follows(item)
        agent = await self._agents.get(item.person)
        if follows is Consequence.NOTHING:
            await self._close(item)
        elif follows is Consequence.NOTE:
            await agent.note(batch)
            await self._close(item)
        elif follows is Consequence.UNHEARD:
            await agent.note(batch)
            await self._answering.answer(item, lambda _tx: UNHEARD)
        else:
            await self._turn(agent, batch, looks_again=follows is Consequence.LOOK_AGAIN)

    async def _is_command(self, batch: Batch) -> bool:
        """Whether the event is a command, or answers the question of one; it is done then."""
        item = batch.lead
        if item.begun:
            return False
        chosen = await self._chosen_by_word(batch)
        named = command_in(chosen) if chosen else command_name(item.event)
        if chosen == "":
            await self._answering.answer(item, lambda _tx: UNCHANGED)
        elif named is not None:
            await self._commands.run(item, *named)
        else:
            return False
        return True

    async def _chosen_by_word(self, batch: Batch) -> str | None:
        """What a “yes” or “no” stands for, right after a question with buttons."""
        item = batch.lead
        if batch.earlier or not item.address.private or not by_word.is_yes_or_no(item.event):
            return None
        choices = await self._db.read(
            lambda tx: last_choices(tx, item.person, item.conversation, self._clock.now())
        )
        return by_word.chosen(item.event, choices)

    async def _timer(self, batch: Batch, event: TimerFired) -> None:
        # whoever wrote goes before what nobody waits for
        async with self._manners.turns.turn(new=not event.promised):
            if not await self._timed.is_over(batch.lead, event):
                await self._timed_turn(batch, event)

    async def _timed_turn(self, batch: Batch, event: TimerFired) -> None:
        item, purpose = batch.lead, self._timed.purpose(event)
        if purpose is not None and purpose.run is not None:
            await purpose.run(item)
            await self._close(item)
            return
        agent = await self._agents.get(item.person)
        if event.purpose == MISSED:
            await agent.note(batch)
            await self._answering.answer(item, lambda _tx: MISSED_WORDS.format(event.text))
        elif event.promised:
            with self._typing_shown(item.address):
                await agent.handle(batch)
        else:
            await agent.handle(batch)

    async def _follows(self, item: InboxItem) -> Consequence:
        event = item.event
        if isinstance(event, MessageEdited):
            follows = await self._db.read(lambda tx: of_edit(tx, item, event))
            if follows is not Consequence.LOOK_AGAIN:
                return follows
        elif not isinstance(event, MessageDeleted):
            return consequence(event)
        kept = await self._db.write(lambda tx: forget(tx, item, event))
        self._agents.discard(item.person)
        return Consequence.LOOK_AGAIN if kept else Consequence.NOTE

    async def _turn(self, agent: Agent, batch: Batch, *, looks_again: bool) -> None:
        turns, person = self._manners.turns, batch.lead.person
        new = turns.full and await self._is_new(person)
        async with turns.turn(new=new):
            with self._typing_shown(batch.lead.address):
                await agent.handle(batch, looks_again=looks_again)
                for after in self._after_turns:
                    await after(agent, batch.lead)

    @contextmanager
    def _typing_shown(self, address: Address) -> Iterator[None]:
        self._typing(address, True)
        try:
            yield
        finally:
            self._typing(address, False)

    async def _is_new(self, person: int) -> bool:
        since = await self._db.read(lambda tx: people.known_since(tx, person))
        return self._clock.now() - since < NEW

    def _is_too_fast(self, batch: Batch) -> bool:
        """Whether the sender has written enough for a minute. At the terminal nobody has."""
        item = batch.lead
        if item.begun or not _is_written_to_us(item) or self._access.trusts(item.address.platform):
            return False
        return self._manners.pace.is_over(batch)

    async def _note_only(self, batch: Batch) -> None:
        """Keep what came too fast for the next turn to see; a command is not run."""
        if command_name(batch.lead.event) is None:
            agent = await self._agents.get(batch.lead.person)
            await agent.note(batch)
        words = self._manners.pace.words(batch.lead)
        await self._answering.answer(batch.lead, lambda _tx: words)

    async def _close(self, item: InboxItem) -> None:
        await self._db.write(lambda tx: inbox.finish(tx, item.person, item.id))

    async def _drop(self, batch: Batch) -> None:
        """Do nothing more about these events, and keep nothing of them in the queue."""
        items = (*batch.earlier, batch.lead, *batch.settled)

        def work(tx: Tx) -> None:
            for item in items:
                inbox.finish(tx, item.person, item.id)

        await self._db.write(work)

    async def _postpone(self, item: InboxItem, error: LLMUnavailableError) -> timedelta | None:
        now = self._clock.now()
        if item.attempts >= ATTEMPTS and now - item.event.at >= GIVE_UP_AFTER:
            logger.error("event %d is given up after %d attempts", item.id, item.attempts)
            await self._bury(item, error)
            return None
        item.failing_since = item.failing_since or now
        delay = _back_off(now - item.failing_since)
        log = logger.error if error.permanent else logger.warning
        log("event %d is tried again in %s, or when more is said: %s", item.id, delay, error)
        tells = item.attempts == 0 and not isinstance(item.event, TimerFired)
        notice = BROKEN if error.permanent else LATER

        def work(tx: Tx) -> str:
            inbox.postpone(tx, item.person, item.id, str(error))
            return notice if tells else ""

        await self._answering.say(item, work)
        self._held_up(item.address, HeldUp(cause=str(error), again=delay))
        item.attempts += 1
        return delay

    async def _bury(self, item: InboxItem, error: Exception) -> None:
        def work(tx: Tx) -> str:
            inbox.bury(tx, item.person, item.id, error_text(error))
            return without_a_model(tx, item, FAILED, self._clock.now())

        await self._answering.say(item, work)


def _back_off(failing: timedelta) -> timedelta:
    """How long to wait when it has failed for so long.

    Not by the number of tries: whoever writes has it tried at once, and should not wait longer for
    it afterwards.
    """
    return next((pause for pause in BACK_OFF if pause >= failing), BACK_OFF[-1])


def _is_written_to_us(item: InboxItem) -> bool:
    event = item.event
    return isinstance(event, MessageReceived | FileReceived) and event.addressed


def _refused(tx: Tx, batch: Batch) -> str:
    """Leave the turn's texts out of the next prompts, which would be refused for them as well."""
    for item in (*batch.earlier, batch.lead):
        messages.withhold(tx, item.person, item.id)
    return "" if isinstance(batch.lead.event, TimerFired) else REFUSED
