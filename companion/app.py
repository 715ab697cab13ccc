"""Builds everything and runs it: the one composition root."""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from companion.agents import Agents
from companion.clock import Clock, SystemClock
from companion.commands.all import COMMANDS
from companion.deliveries import Deliveries, Send
from companion.embedders.build import build_embedder
from companion.events import Address, OutgoingMessage, PlatformEvent
from companion.function_executor import FunctionExecutor
from companion.functions.all import FUNCTIONS
from companion.home import Home
from companion.lanes import Lanes
from companion.limits import Limits
from companion.llm.build import build_llm
from companion.memory.vectors import Vectorizer
from companion.person_memory import PersonMemory
from companion.settings import Settings, home, load, settings_path
from companion.shipped import persona
from companion.storage import inbox, outbox, people
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem
from companion.text import clean
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
        agents: Agents,
        deliveries: Deliveries,
        lanes: Lanes,
        typing: "Typing",
        clock: Clock,
    ) -> None:
        self._db = db
        self._agents = agents
        self._deliveries = deliveries
        self._lanes = lanes
        self._typing = typing
        self._clock = clock

    async def handle(self, event: PlatformEvent) -> bool:
        """Take `event` in. When this returns it is on disk, and can be acknowledged.

        False when the platform has given it before.
        """
        return await self._take(event) is not None

    async def answer(self, event: PlatformEvent) -> list[str]:
        """Take `event` in, and give what is said in its chat until its turn has ended.

        Nothing may be registered to deliver for that chat.
        """
        heard: list[str] = []

        async def hear(message: OutgoingMessage) -> None:
            heard.append(message.text)

        item = await self._take(event)
        if item is not None:
            with self._deliveries.listening(event.address, hear):
                await self._lanes.settled(item.person)
                await self._deliveries.settled(item.conversation)
        return heard

    async def _take(self, event: PlatformEvent) -> InboxItem | None:
        event = _cleaned(event)

        def work(tx: Tx) -> InboxItem | None:
            now = self._clock.now()
            place = people.place(tx, event.address, event.sender, now)
            return inbox.add(tx, place, event, now)

        item = await self._db.write(work)
        if item is not None:
            self._lanes.add(item)
        return item

    def deliver(
        self, platform: str, send: Send, *, chat: str | None = None, repeatable: bool = False
    ) -> None:
        """Let `send` deliver what goes to `platform`, or to one chat of it.

        `repeatable` says that the platform drops a message whose id it has had before.
        """
        self._deliveries.register(platform, send, chat=chat, repeatable=repeatable)

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
        return self._agents.memory(person.id) if person else None


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
    clock = clock or SystemClock()
    place = Home(Path(folder) if folder else home(environ))
    settings = settings or load(settings_path(environ), environ)
    with place.locked():
        db = await Database.open(place.database, key=environ.get("COMPANION_DB_KEY") or None)
        try:
            async with _running(db, place, settings, environ, clock) as companion:
                yield companion
        finally:
            await db.close()


@asynccontextmanager
async def _running(
    db: Database, place: Home, settings: Settings, environ: Mapping[str, str], clock: Clock
) -> AsyncIterator[Companion]:
    llm, counter, model = await build_llm(settings, environ, place, db, clock, random.Random())
    embedder = build_embedder(settings.embedder, environ)
    typing = Typing()
    tasks = asyncio.TaskGroup()
    async with tasks:
        vectorizer = Vectorizer(db, embedder)
        background = tasks.create_task(vectorizer.run())
        deliveries = Deliveries(db, tasks, clock)
        agents = Agents(
            db,
            settings=settings,
            persona=persona(settings.agent, place.path),
            limits=Limits.of(model.window_tokens, model.answer_tokens, settings.memory),
            llm=llm,
            counter=counter,
            embedder=embedder,
            executor=FunctionExecutor(db, FUNCTIONS),
            deliveries=deliveries,
            clock=clock,
        )
        worker = Worker(
            db, agents=agents, deliveries=deliveries, commands=COMMANDS, typing=typing, clock=clock
        )
        lanes = Lanes(tasks, worker.handle)
        await take_up(db, deliveries, lanes)
        yield Companion(
            db, agents=agents, deliveries=deliveries, lanes=lanes, typing=typing, clock=clock
        )
        await _wind_down(lanes, deliveries)
        background.cancel()
    await llm.close()


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
