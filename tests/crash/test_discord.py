"""`kill -9` of a companion on Discord: nothing is lost, doubled or out of order.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

import asyncio
import os
import random
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.crash.child import Job
from tests.crash.lives import KILLED, Nurseries
from tests.support.discord_server.payloads import Member
from tests.support.discord_server.server import DiscordServer
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls, says

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]

KILLS = int(os.environ.get("COMPANION_KILLS", "50"))
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))
MOST_REQUESTS = 20
"""A life is killed at latest when it has made so many requests to Discord."""
PATIENCE_SECONDS = 30
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
    """People who count, each in their direct messages."""

    server: DiscordServer
    job: Job
    chance: random.Random
    written: dict[Member, int] = field(default_factory=dict)
    deaths: int = 0

    async def go_on(self) -> None:
        """Whoever has their answer writes the next number, and sometimes another one at once."""
        for person, number in self.written.items():
            if len(self.heard(person)) < number:
                continue
            for _ in range(self.chance.choice((1, 1, 2))):
                text = f"{self.written[person]}"
                await self.server.says(person, self.server.direct(person), text)
                self.written[person] += 1

    def heard(self, person: Member) -> list[str]:
        """What came to them, in order."""
        channel = self.server.direct(person).id
        return [post.content for post in self.server.posts if post.channel == channel]

    def all_heard(self) -> bool:
        return all(len(self.heard(one)) >= number for one, number in self.written.items())

    def faults(self) -> list[str]:
        """What was lost, came twice or in the wrong order."""
        return [
            f"{person.name} heard {heard} to {number} numbers"
            for person, number in self.written.items()
            if (heard := self.heard(person)) != [f"{n}" for n in range(number)]
        ]


@asynccontextmanager
async def counting(pool: Nurseries, folder: Path) -> AsyncIterator[Chats]:
    """A model, a Discord, and a companion that has met everybody."""
    folder.mkdir()  # noqa: ASYNC240 - a moment
    async with DiscordServer() as server, ModelServer(echo, keep=1) as model:
        people = [server.person(name) for name in ("Anna", "Ben", "Cleo")]
        discord = {
            "allowed": [one.id for one in people],
            "api_base": server.api_base,
            "gateway": server.gateway_url,
        }
        job = Job(folder=str(folder), base_url=model.base_url, discord=discord)
        chats = Chats(server, job, random.Random(SEED), dict.fromkeys(people, 0))
        await lives_until_all_is_said(pool, chats, begins=True)
        yield chats


async def lives_until_all_is_said(pool: Nurseries, chats: Chats, *, begins: bool = False) -> None:
    """A life that ends in order. When it `begins` the talk, people wait until it is there."""
    async with pool.one() as nursery, nursery.life(chats.job) as life:
        if begins:
            await chats.server.connected()
            await chats.go_on()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await chats.server.until(chats.all_heard)
        life.signal(signal.SIGTERM)
        assert await life.ended() == 0


async def dies(pool: Nurseries, chats: Chats, job: Job, requests: int) -> None:
    """A life that is killed at its point, or when it has made so many requests."""
    server = chats.server
    begun = len(server.requests)
    async with pool.one() as nursery, nursery.life(job) as life:
        ended = asyncio.ensure_future(life.ended())
        enough = asyncio.ensure_future(
            server.until(lambda: len(server.requests) >= begun + requests or chats.all_heard())
        )
        await asyncio.wait({ended, enough}, return_when=asyncio.FIRST_COMPLETED)
        enough.cancel()
        life.signal(signal.SIGKILL)
        assert await ended == KILLED
    chats.deaths += 1


@pytest.mark.skipif("COMPANION_KILLS" not in os.environ, reason="on demand: make crash")
async def test_kills_at_random_lose_and_double_nothing_on_discord(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(pool, tmp_path / "home") as chats:
        for _ in range(KILLS):
            await chats.go_on()
            await dies(pool, chats, chats.job, chats.chance.randint(4, MOST_REQUESTS))
        await chats.go_on()
        await lives_until_all_is_said(pool, chats)
        assert chats.faults() == []
        print(f"{chats.deaths} kills, {sum(chats.written.values())} messages")


async def test_a_kill_at_each_point_loses_and_doubles_nothing_on_discord(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(pool, tmp_path / "home") as chats:
        points = sorted((tmp_path / "home" / "points").read_text("utf-8").split('"')[1::2])
        points = [point for point in points if not point.startswith("opening")]
        assert len(points) > 10
        for point in points:
            await chats.go_on()
            job = replace(chats.job, kill_at=point, kill_after=chats.chance.choice((1, 1, 2)))
            await dies(pool, chats, job, 60)
        await lives_until_all_is_said(pool, chats)
        assert chats.faults() == []
        print(f"{chats.deaths} kills at points, {sum(chats.written.values())} messages")
