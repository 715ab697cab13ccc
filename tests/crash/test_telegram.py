"""`kill -9` of a companion on Telegram: nothing is lost or out of order, and in each chat no answer
comes twice but one that was on its way when the kill came.

Most kills come just as a request reaches Telegram, so that many are on their way.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.crash.child import TELEGRAM_USERS, Job
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
from tests.support.bot_api import BotApi
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]


@dataclass
class PrivateChats:
    """Private chats on Telegram."""

    api: BotApi

    async def write(self, person: int, text: str) -> None:
        await self.api.write(text, user=person)

    def heard(self, person: int) -> list[str]:
        return [sent["text"] for sent in self.api.sent if sent["chat"]["id"] == person]

    async def until(self, true: Callable[[], bool], *, seconds: float) -> None:
        await self.api.until(true, seconds=seconds)

    def requests(self) -> int:
        return len(self.api.calls)


@asynccontextmanager
async def counting(folder: Path) -> AsyncIterator[Counting]:
    """A model, a Bot API and a folder for a companion."""
    folder.mkdir()  # noqa: ASYNC240 - a moment
    async with BotApi() as api, ModelServer(echo, keep=1) as model:
        job = Job(folder=str(folder), base_url=model.base_url, telegram=api.base_url)
        people = dict.fromkeys(TELEGRAM_USERS, 0)
        yield Counting(PrivateChats(api), job, people, most_copies=2)


async def test_kills_at_random_lose_nothing_on_telegram(pool: Nurseries, tmp_path: Path) -> None:
    async with counting(tmp_path / "home") as people:
        for _ in range(KILLS):
            requests = people.chance.randint(2, MOST_REQUESTS)
            await dies(pool, people, people.job, requests, mended=True)
        await lives_until_all_is_said(pool, people)
        assert people.faults() == []
        print(people.told())


async def test_a_kill_at_each_point_loses_nothing_on_telegram(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with counting(tmp_path / "home") as people:
        await lives_until_all_is_said(pool, people, begin=people.go_on)
        points = passed_points(tmp_path / "home")
        assert len(points) > 10
        for point in points:
            job = replace(people.job, kill_at=point, kill_after=people.chance.choice((1, 1, 2)))
            await dies(pool, people, job, ENOUGH_FOR_ANY_POINT)
            await lives_until_all_is_said(pool, people)
        assert people.faults() == []
        print(people.told())
