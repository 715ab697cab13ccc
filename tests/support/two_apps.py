"""A person on two apps, "here" and "there", and what they read on each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from companion.embedders.protocol import Embedder
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.llm.protocol import LLM
from companion.memory.person_memory import PersonMemory
from companion.people.codes import SIGNS
from tests.support.world import World, a_world

HERE, THERE = "here", "there"
_numbers = count(1)


class TwoApps:
    """A world with two chat apps. `read` is all that was delivered, with the app."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.read: list[tuple[str, str, str]] = []
        for app in (HERE, THERE):
            world.companion.people.trust(app)
            world.companion.deliver(app, self._hear)

    async def _hear(self, message: OutgoingMessage) -> None:
        self.read.append((message.address.platform, message.address.chat, message.text))

    async def say(self, app: str, text: str, user: str = "anna") -> list[str]:
        """What is answered there; what is said elsewhere meanwhile stands in `read`."""
        before = len(self.read)
        event = MessageReceived(
            id=f"a{next(_numbers)}",
            address=Address(platform=app, chat=user),
            sender=Sender(user=user, name=user.title()),
            at=self.world.clock.now(),
            text=text,
        )
        await self.world.companion.handle(event)
        await self.world.companion.quiet()
        return [said for where, chat, said in self.read[before:] if (where, chat) == (app, user)]

    def last(self, app: str, user: str = "anna") -> str:
        """What was last read there."""
        return [said for where, chat, said in self.read if (where, chat) == (app, user)][-1]

    async def code(self, app: str = HERE, user: str = "anna") -> str:
        """A code for linking, asked for there."""
        (text,) = await self.say(app, "/link", user)
        (code,) = (w for w in text.split() if len(w) == 9 and set(w) <= {*SIGNS, "-"})
        return code

    async def link(self) -> None:
        """Anna links both of her accounts."""
        await self.say(THERE, f"/link {await self.code()}")
        await self.say(THERE, "/link yes")
        await self.say(HERE, "/link yes")

    async def memory(self, app: str, user: str = "anna") -> PersonMemory:
        found = await self.world.companion.memory_of(app, user)
        assert found is not None
        return found


@asynccontextmanager
async def on_two_apps(
    folder: Path, llm: LLM, *, embedder: Embedder | None = None
) -> AsyncIterator[TwoApps]:
    async with a_world(folder, llm, embedder=embedder) as world:
        yield TwoApps(world)
