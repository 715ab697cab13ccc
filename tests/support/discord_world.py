"""A companion on Discord: the real adapter and discord.py, on a server of ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from adapters.discord import PLATFORM, Account, Admission, Discord, slashes
from companion.commands.all import COMMANDS
from companion.events import PlatformEvent
from companion.llm.protocol import LLM, Message, Reply
from companion.settings import Settings
from tests.support.discord_server.payloads import Channel, Member
from tests.support.discord_server.server import TOKEN, DiscordServer
from tests.support.scripted_llm import sends
from tests.support.world import World, a_world

AT_ONCE = Settings.model_validate(
    {"gathering": {"pause_seconds": 0}, "limits": {"messages_a_minute": "none"}}
)
"""Every message is answered by itself, without waiting for more."""
WINDOW = 200_000
SOON = timedelta(milliseconds=1)


@dataclass
class Pauses:
    """Notes how long somebody wanted to wait, and lets them go on."""

    seconds: list[float] = field(default_factory=list)
    _begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self._begun.set()
        await asyncio.sleep(0)

    async def begun(self) -> None:
        """Return when somebody waits."""
        await self._begun.wait()


def echo(messages: Sequence[Message]) -> Reply:
    """A model that repeats what was last said."""
    return sends(last_said(messages))


def last_said(messages: Sequence[Message]) -> str:
    """What the person said last, without what stands before it in the prompt."""
    return messages[-2].text.partition("]")[2].partition(": ")[2]


@dataclass
class DiscordWorld:
    """A companion on Discord, and what a test looks at."""

    world: World
    server: DiscordServer
    discord: Discord
    running: asyncio.Task[None]
    pauses: Pauses
    taken: int = 0

    async def taken_in(self, number: int) -> None:
        """Return when so many events have come in."""
        await self.server.until(lambda: self.taken >= number)

    async def hears(self, author: Member, channel: Channel, text: str) -> list[str]:
        """What the bot posts after `author` wrote `text`."""
        before = len(self.server.posts)
        await self.server.says(author, channel, text)
        return (await self.server.posted(before + 1))[before:]


@asynccontextmanager
async def on_discord(
    folder: Path,
    server: DiscordServer,
    llm: LLM,
    *,
    allowed: Iterable[Member] = (),
    channels: Iterable[Channel] = (),
    read_all: bool = False,
    settings: Settings | None = None,
    token: str = TOKEN,
    connected: bool = True,
    window: int = WINDOW,
    hello: str = "",
) -> AsyncIterator[DiscordWorld]:
    """The companion of the home `folder` on Discord; leaving it is like a kill."""
    settings = settings or AT_ONCE
    pauses = Pauses()
    listens = tuple(channel.id for channel in channels)
    async with a_world(
        folder, llm, window=window, settings=settings, deliver=False, hello=hello
    ) as world:
        discord = Discord(
            Account(token=token, api_base=server.api_base, gateway=server.gateway_url),
            name=settings.agent.name,
            admission=Admission(channels=listens, read_all=read_all or bool(listens)),
            host=world.companion.platforms,
            commands=slashes(COMMANDS),
            clock=world.clock,
            again=SOON,
            sleep=pauses,
        )
        world.companion.people.allow(PLATFORM, [one.id for one in allowed])
        world.companion.deliver(PLATFORM, discord.send, repeatable=True, pieces=discord.pieces)
        world.companion.typing(PLATFORM, discord.typing)

        async def handle(event: PlatformEvent) -> bool:
            new = await world.companion.handle(event)
            talk.taken += 1
            server.changed()
            return new

        running = asyncio.create_task(discord.run(handle))
        talk = DiscordWorld(world, server, discord, running, pauses)
        try:
            if connected:
                await server.connected()
            yield talk
        finally:
            running.cancel()
            await asyncio.wait([running])
            await server.left()
