"""`kill -9` of a companion on Discord: nothing is lost, doubled or out of order.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.crash.child import Job
from tests.crash.counting import (
    ENOUGH_FOR_ANY_POINT,
    KILLS,
    MOST_REQUESTS,
    Counting,
    dies,
    echo,
    lives_until_all_is_said,
    passed_points,
)
from tests.crash.lives import Nurseries
from tests.support.discord_server.payloads import Member
from tests.support.discord_server.server import DiscordServer
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]

LOGGING_IN = 8
"""Requests that a life makes before it can hear anybody."""


@dataclass
class DirectMessages:
    """Direct messages on Discord."""

    server: DiscordServer
    people: dict[int, Member]

    async def write(self, person: int, text: str) -> None:
        member = self.people[person]
        await self.server.says(member, self.server.direct(member), text)

    def heard(self, person: int) -> list[str]:
        channel = self.server.direct(self.people[person]).id
        return [post.content for post in self.server.posts if post.channel == channel]

    async def until(self, true: Callable[[], bool], *, seconds: float) -> None:
        await self.server.until(true, seconds=seconds)

    def requests(self) -> int:
        return len(self.server.requests)


@asynccontextmanager
async def counting(pool: Nurseries, folder: Path) -> AsyncIterator[Counting]:
    """A model, a Discord, and a companion that has met everybody."""
    folder.mkdir()  # noqa: ASYNC240 - a moment
    async with DiscordServer() as server, ModelServer(echo, keep=1) as model:
        members = {one.id: one for one in map(server.person, ("Anna", "Ben", "Cleo"))}
        discord = {
            "allowed": list(members),
            "api_base": server.api_base,
            "gateway": server.gateway_url,
        }
        job = Job(folder=str(folder), base_url=model.base_url, discord=discord)
        people = Counting(DirectMessages(server, members), job, dict.fromkeys(members, 0))

        async def begin() -> None:
            await server.connected()
            await people.go_on()

        # what somebody new writes while nobody listens can't be known of
        await lives_until_all_is_said(pool, people, begin=begin)
        yield people


async def test_kills_at_random_lose_and_double_nothing_on_discord(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(pool, tmp_path / "home") as people:
        for _ in range(KILLS):
            requests = people.chance.randint(2, LOGGING_IN + MOST_REQUESTS)
            await dies(pool, people, people.job, requests)
        await lives_until_all_is_said(pool, people)
        assert people.faults() == []
        print(people.told())


async def test_a_kill_at_each_point_loses_and_doubles_nothing_on_discord(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(pool, tmp_path / "home") as people:
        points = passed_points(tmp_path / "home")
        assert len(points) > 10
        for point in points:
            job = replace(people.job, kill_at=point, kill_after=people.chance.choice((1, 1, 2)))
            await dies(pool, people, job, ENOUGH_FOR_ANY_POINT)
        await lives_until_all_is_said(pool, people)
        assert people.faults() == []
        print(people.told())
