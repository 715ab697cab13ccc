"""Builds everything and runs it: the one composition root."""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from companion.clock import Clock
from companion.commands.all import COMMANDS
from companion.deliveries import Deliveries
from companion.functions.all import functions_for
from companion.functions.executor import FunctionExecutor
from companion.llm.protocol import LLM
from companion.models import open_models, open_night_model
from companion.night.thoughts import Night
from companion.openers.offering import Offering
from companion.openers.turns import opener_turns
from companion.opening import Storage, open_storage
from companion.people import welcome
from companion.people.access import HELLO, Access
from companion.people.allowance import Allowance
from companion.people.linking import Hooks, Linking
from companion.people.manners import Manners
from companion.people.personas import Personas
from companion.pruning import Pruning
from companion.running import Companion, HoldUps, Typing
from companion.settings import Settings
from companion.storage import inbox, outbox
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem
from companion.tasks import task_group
from companion.timed.alarm import alarm
from companion.timed.firing import Firing
from companion.timed.purposes import Purpose, Purposes
from companion.timed.reminders import CHECK_IN, REMINDER
from companion.timed.turns import TimedTurns
from companion.turns.agents import Agents
from companion.turns.answering import Answering
from companion.turns.command_turns import CommandTurns
from companion.turns.gathering import Gathering
from companion.turns.lanes import Lanes
from companion.turns.worker import Worker

logger = logging.getLogger(__name__)

STOP_SECONDS = 10
"""How long running turns get to end when the program stops. What is left goes on at the start."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """The models: the one that answers, and the one that thinks at night."""

    llm: LLM
    night: LLM


@dataclass(frozen=True, slots=True)
class Assembled:
    """A companion on an open home, and what moves it."""

    companion: Companion
    lanes: Lanes
    deliveries: Deliveries
    firing: Firing


@asynccontextmanager
async def open_companion(
    folder: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> AsyncIterator[Companion]:
    """A running companion on the home at `folder`, by default COMPANION_HOME or the platform's own.

    What an earlier run left undone goes on at once. Leaving the block stops within 20 seconds.

    Raises:
        OperatorError: the settings are wrong, the home is in use, or the database can't be opened.
    """
    async with (
        open_storage(folder, settings=settings, environ=environ, clock=clock) as storage,
        open_models(storage, environ) as llm,
        open_night_model(storage, environ, llm) as night,
        task_group() as tasks,
    ):
        built = assemble(storage, Thinking(llm, night), tasks, rng=random.SystemRandom())
        await take_up(storage.db, built.deliveries, built.lanes)
        pruning = tasks.create_task(Pruning(storage.db, storage.clock).run())
        try:
            async with alarm(built.firing, storage.clock):
                yield built.companion
        finally:
            # also when it is cancelled, as SIGTERM does: answers that come soon are still sent
            await _wind_down(built.lanes, built.deliveries)
            pruning.cancel()


def assemble(
    storage: Storage,
    thinking: Thinking,
    tasks: asyncio.TaskGroup,
    *,
    rng: random.Random,
    more_purposes: Sequence[Purpose] = (),
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Assembled:
    """All the parts of a companion, put together; nothing has begun yet.

    `rng` draws codes. `more_purposes` of timed events come after those that there are.
    """
    db, clock, settings = storage.db, storage.clock, storage.settings
    deliveries = Deliveries(db, tasks, clock, sleep=sleep)
    among = _people(storage, rng)
    agents = _agents(storage, thinking.llm, deliveries, among)
    openers = opener_turns(
        db, settings=settings, agents=agents, memories=storage.memories, clock=clock
    )
    night = _night(storage, thinking.night, agents, among.allowance)
    answering = Answering(db, deliveries, clock)
    hello = welcome.purpose(among.access, answering)
    purposes = Purposes((REMINDER, CHECK_IN, openers.purpose, night.purpose, hello, *more_purposes))
    typing, held_up = Typing(), HoldUps()
    worker = Worker(
        db,
        agents=agents,
        commands=_commands(storage, agents, deliveries, answering, among, lambda i: lanes.add(i)),
        timed=TimedTurns(db, purposes, clock),
        answering=answering,
        access=among.access,
        after_turns=(Offering(db, settings.openers, clock).after_turn, night.after_turn),
        manners=Manners.of(settings.limits),
        typing=typing,
        held_up=held_up,
        clock=clock,
    )
    lanes = Lanes(tasks, worker.handle, gathering_of(settings, clock))
    storage.erasing.tell(agents.gone, deliveries.gone, lanes.gone)
    among.access.announce = lanes.add
    among.linking.hooks = Hooks(lanes.resting, lanes.moved, agents.discard)
    companion = Companion(
        db,
        memories=storage.memories,
        deliveries=deliveries,
        lanes=lanes,
        typing=typing,
        held_up=held_up,
        people=among.access,
        openers=openers,
        clock=clock,
    )
    firing = Firing(db, purposes=purposes, lanes=lanes, clock=clock)
    return Assembled(companion, lanes, deliveries, firing)


@dataclass(frozen=True, slots=True)
class _People:
    """Who may talk, what they may have of the model, whom they talk with, and who is who."""

    access: Access
    allowance: Allowance
    personas: Personas
    linking: Linking


def _people(storage: Storage, rng: random.Random) -> _People:
    db, clock, settings = storage.db, storage.clock, storage.settings
    hello = HELLO if settings.people.hello is None else settings.people.hello
    access = Access(db, clock=clock, rng=rng, hello=hello)
    return _People(
        access,
        Allowance(db, access=access, limits=settings.limits, clock=clock),
        Personas(storage.home.path, settings.agent),
        Linking(
            db,
            memories=storage.memories,
            counter=storage.counter,
            limits=storage.limits,
            clock=clock,
        ),
    )


def _commands(
    storage: Storage,
    agents: Agents,
    deliveries: Deliveries,
    answering: Answering,
    among: _People,
    take: Callable[[InboxItem], None],
) -> CommandTurns:
    return CommandTurns(
        storage.db,
        commands=COMMANDS,
        agents=agents,
        memories=storage.memories,
        deliveries=deliveries,
        answering=answering,
        access=among.access,
        linking=among.linking,
        allowance=among.allowance,
        personas=among.personas,
        erasing=storage.erasing,
        take=take,
        clock=storage.clock,
    )


def _agents(storage: Storage, llm: LLM, deliveries: Deliveries, among: _People) -> Agents:
    return Agents(
        storage.db,
        settings=storage.settings,
        memories=storage.memories,
        limits=storage.limits,
        llm=llm,
        counter=storage.counter,
        executor=FunctionExecutor(functions_for(storage.limits.window)),
        deliveries=deliveries,
        allowance=among.allowance,
        personas=among.personas,
        clock=storage.clock,
    )


def _night(storage: Storage, llm: LLM, agents: Agents, allowance: Allowance) -> Night:
    return Night(
        storage.db,
        settings=storage.settings.night,
        llm=llm,
        agents=agents,
        memories=storage.memories,
        allowance=allowance,
        clock=storage.clock,
    )


def gathering_of(settings: Settings, clock: Clock) -> Gathering:
    """How quick messages are gathered, by the settings."""
    pause, at_most = settings.gathering.pause_seconds, settings.gathering.at_most_seconds
    return Gathering(timedelta(seconds=pause), timedelta(seconds=at_most), clock)


async def take_up(db: Database, deliveries: Deliveries, lanes: Lanes) -> None:
    """Go on with what an earlier run left undone."""

    def left(tx: Tx) -> tuple[list[OutboxItem], list[InboxItem]]:
        return outbox.open_items(tx), inbox.open_items(tx)

    pieces, items = await db.read(left)
    deliveries.load(pieces)
    for item in items:
        lanes.add(item)
    if pieces or items:
        logger.info("%d messages to send and %d events from before", len(pieces), len(items))


async def _wind_down(lanes: Lanes, deliveries: Deliveries) -> None:
    """Let running turns end if they do so soon; what is left goes on at the next start."""
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await lanes.settled()
            await deliveries.settled()
    except TimeoutError:
        logger.info("stopping in the middle of a turn; it goes on at the next start")
    lanes.cancel()
    deliveries.cancel()
