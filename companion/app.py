"""Builds everything and runs it: the one composition root."""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from weakref import WeakValueDictionary

from companion.agents import Agents
from companion.clock import Clock
from companion.commands.all import COMMANDS
from companion.deliveries import Deliveries, Pieces, Send, whole
from companion.events import Address, OutgoingMessage, PlatformEvent, Sender
from companion.function_executor import FunctionExecutor
from companion.functions.all import FUNCTIONS
from companion.gathering import Gathering
from companion.lanes import Lanes
from companion.llm.protocol import LLM
from companion.memories import Memories
from companion.models import open_models, open_night_model
from companion.night.thoughts import Night
from companion.openers.offering import Offering
from companion.openers.turns import OpenerTurns, opener_turns
from companion.opening import Storage, open_storage
from companion.people.access import HELLO, Access
from companion.people.allowance import Allowance
from companion.people.linking import Hooks, Linking
from companion.people.manners import Manners
from companion.people.personas import Personas
from companion.person_memory import PersonMemory
from companion.platforms import Platforms
from companion.pruning import Pruning
from companion.reactions import with_what_it_is_about
from companion.returning import came_back
from companion.settings import Settings
from companion.storage import inbox, joining, outbox, people, schedule
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem
from companion.tasks import task_group
from companion.text import clean
from companion.timed.alarm import alarm
from companion.timed.firing import Firing
from companion.timed.purposes import Purposes
from companion.timed.reminders import CHECK_IN, REMINDER
from companion.timed.turns import TimedTurns
from companion.worker import ShowTyping, Worker

logger = logging.getLogger(__name__)

STOP_SECONDS = 10
"""How long running turns get to end when the program stops. What is left goes on at the start."""


class Companion:
    """A running companion: takes events in, and sends what comes of them."""

    def __init__(
        self,
        db: Database,
        *,
        memories: Memories,
        deliveries: Deliveries,
        lanes: Lanes,
        typing: "Typing",
        people: Access,
        openers: OpenerTurns,
        clock: Clock,
    ) -> None:
        self.people = people
        self.platforms = Platforms(db, clock, people)
        self._db = db
        self._memories = memories
        self._deliveries = deliveries
        self._lanes = lanes
        self._typing = typing
        self._openers = openers
        self._clock = clock
        self._answering: WeakValueDictionary[Address, asyncio.Lock] = WeakValueDictionary()

    async def handle(self, event: PlatformEvent) -> bool:
        """Take `event` in. When this returns it is on disk, and can be acknowledged.

        False when the platform has given it before, or its sender was not let in.
        """
        return await self._take(event) is not None

    async def answer(self, event: PlatformEvent) -> list[str]:
        """Take `event` in, and give what is said in its chat until its turn has ended.

        Nothing may be registered to deliver for that chat. Several at once are answered one after
        the other.
        """
        heard: list[str] = []

        async def hear(message: OutgoingMessage) -> None:
            if message.reacts_to is None:
                heard.append(message.text)

        # whoever asks while another waits would be given the other's answer
        alone = self._answering.setdefault(event.address, asyncio.Lock())
        async with alone:
            item = await self._take(event)
            if item is not None:
                with self._deliveries.listening(event.address, hear):
                    await self._lanes.settled(item.person)
                    await self._deliveries.settled(item.conversation)
        return heard

    async def _take(self, event: PlatformEvent) -> InboxItem | None:
        event = _cleaned(event)

        def work(tx: Tx) -> tuple[InboxItem | None, InboxItem | None]:
            now = self._clock.now()
            if not self.people.hears(tx, event):
                return None, None
            place = people.place(tx, event.address, event.sender, now)
            people.set_unreachable(tx, place.person, place.id, None)
            if event.address.private:
                joining.follow(tx, place.person, place.id)
            schedule.resume(tx, place.person, place.id)
            hello = self.people.hello_in(tx, place)
            known = with_what_it_is_about(tx, place, came_back(tx, place, event, now))
            return hello, inbox.add(tx, place, known, now)

        hello, item = await self._db.write(work)
        for one in (hello, item):
            if one is not None:
                self._deliveries.found(one.conversation)
                self._lanes.add(one)
        return item

    async def write_first(self, address: Address, sender: Sender) -> str | None:
        """Have the companion write first to somebody in private, whatever the gates say, and give
        its words; None when it keeps silent. Nothing else may go on with that person meanwhile.

        Raises:
            LLMError: no model answers.
        """
        now = self._clock.now()
        place = await self._db.write(lambda tx: people.place(tx, address, sender, now))
        return await self._openers.write_now(place)

    def deliver(
        self,
        platform: str,
        send: Send,
        *,
        chat: str | None = None,
        repeatable: bool = False,
        pieces: Pieces = whole,
        ready: asyncio.Event | None = None,
    ) -> None:
        """Let `send` deliver what goes to `platform`, or to one chat of it.

        `repeatable` says that the platform drops a message whose id and piece it has had before.
        `pieces` tells in how many pieces it takes a text; each is given to `send` by itself, and
        none while `ready` is not set.
        """
        self._deliveries.register(
            platform, send, chat=chat, repeatable=repeatable, pieces=pieces, ready=ready
        )

    def typing(self, platform: str, show: ShowTyping) -> None:
        """Let `show` know when a turn begins (True) and ends (False) in a chat of `platform`."""
        self._typing.shows[platform] = show

    async def quiet(self) -> None:
        """Return when no event is being dealt with and nothing is being sent."""
        await self._lanes.settled()
        await self._deliveries.settled()

    async def memory_of(self, platform: str, user: str) -> PersonMemory | None:
        """The memory of who uses this account, or None for a stranger."""
        person = await self._db.read(lambda tx: people.by_account(tx, platform, user))
        return self._memories.of(person.id) if person else None


class Typing:
    """Tells the platform of a chat when a turn begins and ends there."""

    def __init__(self) -> None:
        self.shows: dict[str, ShowTyping] = {}

    def __call__(self, address: Address, begins: bool) -> None:
        show = self.shows.get(address.platform)
        if show is not None:
            show(address, begins)


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
        open_night_model(storage, environ, llm) as night_llm,
        task_group() as tasks,
    ):
        deliveries = Deliveries(storage.db, tasks, storage.clock)
        typing = Typing()
        chosen = storage.settings.people.hello
        people_let_in = Access(
            storage.db,
            clock=storage.clock,
            rng=random.SystemRandom(),
            hello=HELLO if chosen is None else chosen,
        )
        limits = storage.settings.limits
        allowance = Allowance(storage.db, access=people_let_in, limits=limits, clock=storage.clock)
        personas = Personas(storage.home.path, storage.settings.agent)
        agents = _agents(storage, llm, deliveries, allowance, personas)
        openers = opener_turns(
            storage.db,
            settings=storage.settings,
            agents=agents,
            memories=storage.memories,
            clock=storage.clock,
        )
        night = Night(
            storage.db,
            settings=storage.settings.night,
            llm=night_llm,
            agents=agents,
            memories=storage.memories,
            allowance=allowance,
            clock=storage.clock,
        )
        purposes = Purposes((REMINDER, CHECK_IN, openers.purpose, night.purpose))
        offering = Offering(storage.db, storage.settings.openers, storage.clock)
        linking = Linking(
            storage.db,
            memories=storage.memories,
            counter=storage.counter,
            limits=storage.limits,
            clock=storage.clock,
        )
        worker = Worker(
            storage.db,
            agents=agents,
            memories=storage.memories,
            deliveries=deliveries,
            commands=COMMANDS,
            timed=TimedTurns(storage.db, purposes, storage.clock),
            access=people_let_in,
            after_turns=(offering.after_turn, night.after_turn),
            linking=linking,
            allowance=allowance,
            personas=personas,
            manners=Manners.of(limits),
            typing=typing,
            erasing=storage.erasing,
            take=lambda item: lanes.add(item),
            clock=storage.clock,
        )
        lanes = Lanes(tasks, worker.handle, gathering_of(storage.settings, storage.clock))
        storage.erasing.tell(agents.gone, deliveries.gone, lanes.gone)
        people_let_in.announce = lanes.add
        linking.hooks = Hooks(lanes.resting, lanes.moved, agents.discard)
        await take_up(storage.db, deliveries, lanes)
        firing = Firing(storage.db, purposes=purposes, lanes=lanes, clock=storage.clock)
        pruning = tasks.create_task(Pruning(storage.db, storage.clock).run())
        try:
            async with alarm(firing, storage.clock):
                yield Companion(
                    storage.db,
                    memories=storage.memories,
                    deliveries=deliveries,
                    lanes=lanes,
                    typing=typing,
                    people=people_let_in,
                    openers=openers,
                    clock=storage.clock,
                )
        finally:
            # also when it is cancelled, as SIGTERM does: answers that come soon are still sent
            await _wind_down(lanes, deliveries)
            pruning.cancel()


def _agents(
    storage: Storage,
    llm: LLM,
    deliveries: Deliveries,
    allowance: Allowance,
    personas: Personas,
) -> Agents:
    return Agents(
        storage.db,
        settings=storage.settings,
        memories=storage.memories,
        limits=storage.limits,
        llm=llm,
        counter=storage.counter,
        executor=FunctionExecutor(FUNCTIONS),
        deliveries=deliveries,
        allowance=allowance,
        personas=personas,
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


def _cleaned(event: PlatformEvent) -> PlatformEvent:
    """`event` as it can be stored: its texts without NUL and lone surrogates."""
    texts = {
        name: clean(value)
        for name in event.__dataclass_fields__
        if isinstance(value := getattr(event, name), str)
    }
    sender = replace(event.sender, name=clean(event.sender.name))
    return replace(event, sender=sender, **texts)  # type: ignore[arg-type]
