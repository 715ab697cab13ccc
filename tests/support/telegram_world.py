"""A companion on Telegram: the real adapter and python-telegram-bot, on a server of ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from adapters.telegram import PLATFORM, Account, Admission, Telegram, Webhook
from companion.commands.all import COMMANDS
from companion.llm.protocol import LLM
from companion.settings import Settings
from tests.support.bot_api import TOKEN, BotApi
from tests.support.world import World, a_world

USER = 7
AT_ONCE = Settings.model_validate({"gathering": {"pause_seconds": 0}})
"""Every message is answered by itself, without waiting for more."""


@dataclass
class Pauses:
    """Notes how long somebody wanted to wait, and lets them go on."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@dataclass
class TelegramWorld:
    """A companion on Telegram, and what a test looks at."""

    world: World
    telegram: Telegram
    running: asyncio.Task[None]
    pauses: Pauses


@asynccontextmanager
async def on_telegram(
    folder: Path,
    api: BotApi,
    llm: LLM,
    *,
    allowed: Iterable[int] = (USER,),
    listens: Iterable[int] = (),
    settings: Settings | None = None,
    webhook: Webhook | None = None,
    token: str = TOKEN,
    poll_wait: timedelta = timedelta(seconds=5),
) -> AsyncIterator[TelegramWorld]:
    """The companion of the home `folder` on Telegram; leaving it is like a kill."""
    settings = settings or AT_ONCE
    pauses = Pauses()
    async with a_world(folder, llm, settings=settings, deliver=False) as world:
        telegram = Telegram(
            Account(
                token=token,
                base_url=api.base_url,
                base_file_url=api.base_file_url,
                webhook=webhook,
            ),
            name=settings.agent.name,
            admission=Admission(allowed=frozenset(allowed), listens=frozenset(listens)),
            host=world.companion.platforms,
            commands={name: command.help for name, command in COMMANDS.items()},
            link_previews=settings.telegram.link_previews,
            poll_wait=poll_wait,
            sleep=pauses,
        )
        world.companion.deliver(PLATFORM, telegram.send, pieces=telegram.pieces)
        world.companion.typing(PLATFORM, telegram.typing)
        running = asyncio.create_task(telegram.run(world.companion.handle))
        try:
            yield TelegramWorld(world, telegram, running, pauses)
        finally:
            running.cancel()
            await asyncio.wait([running])
