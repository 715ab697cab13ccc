"""`kill -9` of a companion on Telegram: nothing is lost or out of order, and in each chat no answer
comes twice but one that was on its way when the kill came.

Most kills come just as a request reaches Telegram, so that many are on their way.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

import asyncio
import contextlib
import os
import random
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crash.child import TELEGRAM_USERS, Job
from tests.crash.lives import KILLED, Nurseries
from tests.support.bot_api import BotApi
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls, says

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]

KILLS = int(os.environ.get("COMPANION_KILLS", "50"))
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))
MOST_REQUESTS = 16
"""A life is killed at latest when it has made so many requests to Telegram."""
ENOUGH_FOR_ANY_POINT = 60
PATIENCE = 3
"""How often the server is waited for: 20 seconds each time."""
ASKED = re.compile(r"\] \w+: (\d+)$")


def echo(asked: Asked) -> Answer:
    """Says the number that was last written."""
    for message in reversed(asked["messages"]):
        found = ASKED.search(str(message["content"])) if message["role"] == "user" else None
        if found:
            return calls(send_message={"message": found[1]})
    return says("They counted.")


@dataclass
class Chats:
    """People who count, each in their chat."""

    api: BotApi
    job: Job
    chance: random.Random
    written: dict[int, int] = field(default_factory=lambda: dict.fromkeys(TELEGRAM_USERS, 0))
    deaths: int = 0

    async def talk(self) -> None:
        """Go on whenever all is answered, until cancelled."""
        while True:
            await self.go_on()
            await self.until_all_heard()

    async def until_all_heard(self) -> None:
        """Return when everybody has every answer."""
        for _ in range(PATIENCE):
            with contextlib.suppress(TimeoutError):
                await self.api.until(self.all_heard)
                return
        raise AssertionError(f"after {self.deaths} deaths: {self.faults()}")

    async def go_on(self) -> None:
        """Whoever has their answer writes the next number, and sometimes another one at once."""
        for user, number in self.written.items():
            if len(set(self.heard(user))) < number:
                continue
            for _ in range(self.chance.choice((1, 1, 2))):
                await self.api.write(f"{self.written[user]}", user=user)
                self.written[user] += 1

    def heard(self, user: int) -> list[str]:
        """What came to the chat, in order."""
        return [sent["text"] for sent in self.api.sent if sent["chat"]["id"] == user]

    def all_heard(self) -> bool:
        return all(len(set(self.heard(u))) >= number for u, number in self.written.items())

    def faults(self) -> list[str]:
        """What was lost, came twice or in the wrong order."""
        found = []
        for user, number in self.written.items():
            heard = self.heard(user)
            once = [text for before, text in pairwise([None, *heard]) if text != before]
            if once != [f"{n}" for n in range(number)]:
                found.append(f"{user} heard {heard[-9:]} to {number} numbers")
            if len(heard) - len(once) > self.deaths:
                found.append(f"{user} heard {len(heard) - len(once)} twice in {self.deaths} deaths")
        return found

    @property
    def doubled(self) -> int:
        return sum(len(self.heard(u)) - len(set(self.heard(u))) for u in self.written)


@asynccontextmanager
async def counting(folder: Path) -> AsyncIterator[Chats]:
    """A model, a Bot API and a folder for a companion."""
    folder.mkdir()  # noqa: ASYNC240 - a moment
    async with BotApi() as api, ModelServer(echo, keep=1) as model:
        job = Job(folder=str(folder), base_url=model.base_url, telegram=api.base_url)
        yield Chats(api, job, random.Random(SEED))


async def lives_until_all_is_said(pool: Nurseries, chats: Chats) -> None:
    """A life that ends in order."""
    async with pool.one() as nursery, nursery.life(chats.job) as life:
        await chats.until_all_heard()
        life.signal(signal.SIGTERM)
        assert await life.ended() == 0


async def dies(pool: Nurseries, chats: Chats, job: Job, requests: int) -> None:
    """A life that is killed at its point, or when it has made so many requests.

    Without a point, what an earlier death left undone comes first: an answer whose fate is unknown
    is repeated once, so that a second death in the middle of that would lose it.
    """
    async with pool.one() as nursery, nursery.life(job) as life:
        if not job.kill_at:
            await chats.until_all_heard()
        begun = len(chats.api.calls)
        talking = asyncio.ensure_future(chats.talk())
        ended = asyncio.ensure_future(life.ended())
        enough = asyncio.ensure_future(
            chats.api.until(lambda: len(chats.api.calls) >= begun + requests)
        )
        await asyncio.wait({ended, enough}, return_when=asyncio.FIRST_COMPLETED)
        enough.cancel()
        talking.cancel()
        life.signal(signal.SIGKILL)
        assert await ended == KILLED
    chats.deaths += 1


@pytest.mark.skipif("COMPANION_KILLS" not in os.environ, reason="on demand: make crash")
async def test_kills_at_random_lose_nothing_on_telegram(pool: Nurseries, tmp_path: Path) -> None:
    async with counting(tmp_path / "home") as chats:
        for _ in range(KILLS):
            await dies(pool, chats, chats.job, chats.chance.randint(2, MOST_REQUESTS))
        await lives_until_all_is_said(pool, chats)
        assert chats.faults() == []
        print(
            f"{chats.deaths} kills, {sum(chats.written.values())} messages, {chats.doubled} twice"
        )


async def test_a_kill_at_each_point_loses_nothing_on_telegram(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(tmp_path / "home") as chats:
        await chats.go_on()
        await lives_until_all_is_said(pool, chats)
        points = sorted((tmp_path / "home" / "points").read_text("utf-8").split('"')[1::2])
        points = [point for point in points if not point.startswith("opening")]
        assert len(points) > 10
        for point in points:
            job = replace(chats.job, kill_at=point, kill_after=chats.chance.choice((1, 1, 2)))
            await dies(pool, chats, job, ENOUGH_FOR_ANY_POINT)
            await lives_until_all_is_said(pool, chats)
        assert chats.faults() == []
        print(f"{chats.deaths} kills at points, {chats.doubled} twice")
