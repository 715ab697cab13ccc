"""A companion on Telegram: the real adapter and python-telegram-bot, on a server of ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from adapters.telegram import PLATFORM, Account, Telegram, Webhook
from companion.commands.all import COMMANDS
from companion.llm.protocol import LLM, Message, Reply
from companion.settings import Settings
from tests.support.bot_api import TOKEN, BotApi
from tests.support.scripted_llm import sends
from tests.support.world import World, a_world

USER = 7
AT_ONCE = Settings.model_validate(
    {"gathering": {"pause_seconds": 0}, "limits": {"messages_a_minute": "none"}}
)
"""Every message is answered by itself, without waiting for more."""


@dataclass
class Pauses:
    """Notes how long somebody wanted to wait, and lets them go on."""

    seconds: list[float] = field(default_factory=list)
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def __call__(self, seconds: float) -> None:
        async with self._more:
            self.seconds.append(seconds)
            self._more.notify_all()

    async def until(self, number: int, of: float) -> None:
        """Return when somebody wanted to wait so often for `of` seconds."""
        async with self._more:
            await self._more.wait_for(lambda: self.seconds.count(of) >= number)


def echo(messages: Sequence[Message]) -> Reply:
    """A model that repeats what was last said."""
    return sends(messages[-2].text.partition("]")[2].partition(": ")[2])


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
    hello: str = "",
    poll_wait: timedelta = timedelta(seconds=5),
    poll_hung: timedelta = timedelta(seconds=30),
) -> AsyncIterator[TelegramWorld]:
    """The companion of the home `folder` on Telegram; leaving it is like a kill."""
    settings = settings or AT_ONCE
    pauses = Pauses()
    tasks: list[asyncio.Task[None]] = []
    try:
        async with a_world(
            folder, llm, settings=settings, deliver=False, hello=hello, sleep=pauses
        ) as world:
            telegram = Telegram(
                Account(
                    token=token,
                    base_url=api.base_url,
                    base_file_url=api.base_file_url,
                    webhook=webhook,
                ),
                name=settings.agent.name,
                listens=frozenset(listens),
                host=world.companion.platforms,
                commands={name: command.help for name, command in COMMANDS.items()},
                clock=world.clock,
                link_previews=settings.telegram.link_previews,
                poll_wait=poll_wait,
                poll_hung=poll_hung,
                sleep=pauses,
            )
            world.companion.deliver(
                PLATFORM, telegram.send, pieces=telegram.pieces, ready=telegram.ready
            )
            world.companion.people.allow(PLATFORM, allowed)
            world.companion.typing(PLATFORM, telegram.typing)
            tasks.append(asyncio.create_task(telegram.run(world.companion.handle)))
            yield TelegramWorld(world, telegram, tasks[0], pauses)
    finally:  # only now, as a kill leaves nobody the time to see the connection end
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
