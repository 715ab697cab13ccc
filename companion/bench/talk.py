"""Talks to a companion and waits for its answers, as an adapter would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from companion.app import open_companion
from companion.clock import SystemClock
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.running import Companion
from companion.settings import ModelSettings, Settings

PLATFORM = "bench"
MODEL = "scripted"
WINDOW = 8192

VECTORS_FOLLOW = 1.5
"""Seconds of silence after which the vectors of what was said are stored."""


class Talk:
    """Says messages and gives what is answered, in any number of chats at once."""

    def __init__(self, companion: Companion) -> None:
        self.companion = companion
        self._clock = SystemClock()
        self._said = 0
        self._waiting: dict[str, asyncio.Future[str]] = {}
        companion.people.trust(PLATFORM)
        companion.deliver(PLATFORM, self._hear)

    async def say(self, chat: str, text: str) -> str:
        """Say `text` and give the answer as soon as it is delivered."""
        self._said += 1
        answer = self._waiting[chat] = asyncio.get_running_loop().create_future()
        await self.companion.handle(
            MessageReceived(
                id=str(self._said),
                address=Address(platform=PLATFORM, chat=chat),
                sender=Sender(user=chat, name=chat),
                at=self._clock.now(),
                text=text,
            )
        )
        said: str = await answer
        return said

    async def rest(self) -> None:
        """Return when all work is done that what was said has caused."""
        await self.companion.quiet()
        await asyncio.sleep(VECTORS_FOLLOW)

    async def _hear(self, message: OutgoingMessage) -> None:
        waiting = self._waiting.pop(message.address.chat, None)
        if waiting is not None:
            waiting.set_result(message.text)


@asynccontextmanager
async def a_talk(home: Path, server: str) -> AsyncIterator[Talk]:
    """A companion on `home` that asks the model at `server`."""
    model = ModelSettings(name=MODEL, base_url=server, window_tokens=WINDOW)
    settings = Settings(models=(model,))
    async with open_companion(home, settings=settings, environ={}) as companion:
        yield Talk(companion)
