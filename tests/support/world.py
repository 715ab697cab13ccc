"""A companion on a real database, with a scripted model and a virtual clock."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from companion.app import Thinking, assemble, take_up
from companion.context.limits import Limits
from companion.embedders.protocol import Embedder
from companion.erasing import Erasing
from companion.events import (
    Address,
    Document,
    MessageReceived,
    OutgoingMessage,
    PlatformEvent,
    Sender,
)
from companion.home import Home
from companion.llm.protocol import LLM, TokenCounter
from companion.memory.memories import Memories
from companion.memory.person_memory import PersonMemory
from companion.opening import Storage
from companion.running import Companion
from companion.settings import Settings
from companion.storage import people
from companion.storage.database import Database
from companion.tasks import task_group
from companion.timed.firing import Firing
from companion.timed.purposes import Purpose
from companion.turns.lanes import Lanes
from tests.support.simple_counter import SimpleCounter
from tests.support.virtual_clock import VirtualClock

PLATFORM = "test"
_numbers = count(1)


@dataclass
class World:
    """Everything a test looks at."""

    db: Database
    clock: VirtualClock
    companion: Companion
    lanes: Lanes
    limits: Limits
    firing: Firing
    home: Path
    delivered: list[tuple[str, str]] = field(default_factory=list)
    documents: list[tuple[str, Document]] = field(default_factory=list)

    def address(self, name: str, *, private: bool = True) -> Address:
        return Address(platform=PLATFORM, chat=name, private=private)

    def message(
        self,
        text: str,
        name: str = "Anna",
        *,
        known_as: str | None = None,
        group: str | None = None,
    ) -> MessageReceived:
        """A message of `name`'s, private or in `group`."""
        return MessageReceived(
            id=known_as or f"m{next(_numbers)}",
            address=self.address(group or name, private=group is None),
            sender=Sender(user=name, name=name),
            at=self.clock.now(),
            text=text,
        )

    async def say(self, text: str, name: str = "Anna") -> list[str]:
        """Say `text` and give what is answered."""
        return await self.happens(self.message(text, name))

    async def happens(self, event: PlatformEvent) -> list[str]:
        """Take `event` in and give what is delivered to its chat until all is quiet."""
        before = len(self.delivered)
        await self.companion.handle(event)
        await self.companion.quiet()
        chat = event.address.chat
        return [text for to, text in self.delivered[before:] if to == chat]

    async def pass_time(self, length: timedelta = timedelta(0)) -> list[str]:
        """Let `length` go past, have happen what is due, and give what is delivered meanwhile."""
        before = len(self.delivered)
        self.clock.advance(length)
        await self.firing.fire_due()
        await self.companion.quiet()
        return [text for _, text in self.delivered[before:]]

    async def memory(self, name: str = "Anna") -> PersonMemory:
        memory = await self.companion.memory_of(PLATFORM, name)
        assert memory is not None
        return memory

    async def person(self, name: str = "Anna") -> int:
        found = await self.db.read(lambda tx: people.by_account(tx, PLATFORM, name))
        assert found is not None
        return found.id

    async def rows(self, sql: str) -> list[tuple[object, ...]]:
        """What `sql` gives."""
        return await self.db.read(lambda tx: tx.execute(sql).fetchall())


@asynccontextmanager
async def a_world(
    folder: Path,
    llm: LLM,
    *,
    window: int = 8192,
    settings: Settings | None = None,
    clock: VirtualClock | None = None,
    deliver: bool = True,
    counter: TokenCounter | None = None,
    embedder: Embedder | None = None,
    more_purposes: Sequence[Purpose] = (),
    hello: str = "",
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[World]:
    """A running companion on the database in `folder`; leaving it is like a kill: nothing is
    wound down."""
    settings = settings or Settings()
    greeting = settings.people.model_copy(update={"hello": hello})
    settings = settings.model_copy(update={"people": greeting})
    clock = clock or VirtualClock(datetime(2025, 5, 5, 12, 0, tzinfo=UTC))
    limits = Limits.of(window, 1024, settings.memory)
    counter = counter or SimpleCounter()
    home = Home(folder)
    home.make()
    db = await Database.open(home.database)
    try:
        erasing = Erasing(db, home, clock, key=None)
        await erasing.catch_up()
        async with task_group() as tasks:
            memories = Memories(
                db,
                settings=settings.memory,
                persona="You are Mira, warm and plain.",
                limits=limits,
                embedder=embedder,
                counter=counter,
                clock=clock,
            )
            storage = Storage(
                home=home,
                settings=settings,
                db=db,
                memories=memories,
                limits=limits,
                counter=counter,
                vectorizer=None,
                erasing=erasing,
                clock=clock,
            )
            built = assemble(
                storage,
                Thinking(llm, llm),
                tasks,
                rng=random.Random(7),
                more_purposes=more_purposes,
                sleep=sleep,
            )
            companion, lanes = built.companion, built.lanes
            companion.people.trust(PLATFORM)
            world = World(db, clock, companion, lanes, limits, built.firing, folder)

            async def send(message: OutgoingMessage) -> None:
                world.delivered.append((message.address.chat, message.text))
                if message.document is not None:
                    world.documents.append((message.address.chat, message.document))

            await take_up(db, built.deliveries, lanes)
            if deliver:
                companion.deliver(PLATFORM, send)
            yield world
            lanes.cancel()
            built.deliveries.cancel()
    finally:
        await db.close()
