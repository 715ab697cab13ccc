"""The companion inside another program: an agent, or memory alone.

async with open_home("my-home") as home:
    for answer in await home.person("anna").say("Hi, I'm Anna, and I play the cello."):
        print(answer)

async with open_memories("my-home") as memories:
    anna = await memories.of("anna")
    await anna.add("Anna's cello teacher is called Ruth.")
    print((await anna.search("cello lessons")).items[0].text)
"""

import os
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from companion.app import open_companion
from companion.clock import Clock, SystemClock
from companion.events import Address, MessageReceived, PlatformEvent, Sender
from companion.memory.person_memory import PersonMemory
from companion.opening import Storage, open_storage
from companion.running import Companion
from companion.settings import Settings
from companion.storage import people

PLATFORM = "library"


class PersonHandle:
    """One person, by the name that the embedding program gives them."""

    def __init__(self, companion: Companion, user: str, name: str, clock: Clock) -> None:
        self._companion = companion
        self._sender = Sender(user=user, name=name)
        self._clock = clock

    @property
    def address(self) -> Address:
        """Where they talk, for events that the embedding program makes itself."""
        return Address(platform=PLATFORM, chat=self._sender.user)

    async def say(self, text: str) -> list[str]:
        """What the companion says to `text`: usually one message, sometimes more.

        When no model can be reached it says so in its own words, and answers the message in the
        turn of a later one.
        """
        return await self.happens(
            MessageReceived(
                id=uuid.uuid4().hex,
                address=self.address,
                sender=self._sender,
                at=self._clock.now(),
                text=text,
            )
        )

    async def opener(self) -> str | None:
        """What the companion writes to this person of its own accord now; None for nothing. Gates
        such as quiet hours are not asked.

        Raises:
            LLMError: no model answers.
        """
        return await self._companion.write_first(self.address, self._sender)

    async def happens(self, event: PlatformEvent) -> list[str]:
        """What the companion says to `event`, which must be at this person's address."""
        return await self._companion.answer(event)


class HomeHandle:
    """An open home, with a companion that answers."""

    def __init__(self, companion: Companion, clock: Clock) -> None:
        self._companion = companion
        self._clock = clock

    def person(self, user: str, *, name: str | None = None) -> PersonHandle:
        """The person called `user`, who need not have talked yet. `name` is what they are called
        in the conversation, by default the same."""
        return PersonHandle(self._companion, user, name or user, self._clock)


class MemoriesHandle:
    """An open home's memories, without a companion: no model is asked."""

    def __init__(self, storage: Storage) -> None:
        self._db = storage.db
        self._memories = storage.memories
        self._vectorizer = storage.vectorizer
        self._clock = storage.clock

    async def up_to_date(self) -> None:
        """Return when everything added so far is found by its meaning too, not by words alone.

        That comes by itself, about a second after adding.

        Raises:
            EmbedderUnavailableError: the embedder is down; words still work.
        """
        if self._vectorizer is not None:
            await self._vectorizer.run_once()

    async def of(self, user: str, *, name: str | None = None) -> PersonMemory:
        """The memory of the person called `user`, empty for somebody new."""
        address = Address(platform=PLATFORM, chat=user)
        sender = Sender(user=user, name=name or user)
        now = self._clock.now()
        place = await self._db.write(lambda tx: people.place(tx, address, sender, now))
        return self._memories.of(place.person)


@asynccontextmanager
async def open_home(
    folder: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> AsyncIterator[HomeHandle]:
    """The home at `folder`, by default COMPANION_HOME, with a companion that answers.

    Raises:
        OperatorError: the settings are wrong, the home is in use, or the database can't be opened.
    """
    clock = clock or SystemClock()
    async with open_companion(folder, settings=settings, environ=environ, clock=clock) as companion:
        companion.people.trust(PLATFORM)
        yield HomeHandle(companion, clock)


@asynccontextmanager
async def open_memories(
    folder: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> AsyncIterator[MemoriesHandle]:
    """The memories in the home at `folder`, by default COMPANION_HOME. No model is needed.

    Raises:
        OperatorError: the settings are wrong, the home is in use, or the database can't be opened.
    """
    async with open_storage(folder, settings=settings, environ=environ, clock=clock) as storage:
        yield MemoriesHandle(storage)
