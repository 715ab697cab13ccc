"""People who count, each in their chat, with a companion that says every number after them.

What they must have heard is plain from how far they have counted.
"""

import asyncio
import os
import random
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from tests.crash.child import Job
from tests.crash.lives import KILLED, Nurseries
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, calls, says

KILLS = int(os.environ.get("COMPANION_KILLS", "25"))
"""How many kills at random there are on each platform."""
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))
MOST_REQUESTS = 16
"""A life is killed at random when it has made up to so many requests."""
ENOUGH_FOR_ANY_POINT = 60
PATIENCE_SECONDS = 60
"""How long all may take in a life that lasts a second."""
ASKED = re.compile(r"\] \w+: (\d+)$")


def echo(asked: Asked) -> Answer:
    """Says the number that was last written."""
    for message in reversed(asked["messages"]):
        found = ASKED.search(str(message["content"])) if message["role"] == "user" else None
        if found:
            return calls(send_message={"message": found[1]})
    return says("They counted.")


class Messenger(Protocol):
    """A chat platform, as people see it."""

    async def write(self, person: int, text: str) -> None:
        """The person writes."""

    def heard(self, person: int) -> list[str]:
        """What came to the person, in order."""

    async def until(self, true: Callable[[], bool], *, seconds: float) -> None:
        """Return when `true` holds."""

    def requests(self) -> int:
        """How many requests the platform has had."""


@dataclass
class Counting:
    """People who count. `written` is how many numbers each has written.

    `most_copies` is how often an answer may come that was on its way when a kill came.
    """

    messenger: Messenger
    job: Job
    written: dict[int, int]
    most_copies: int = 1
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    deaths: int = 0

    async def talk(self) -> None:
        """Go on whenever all is answered, until cancelled."""
        while True:
            await self.go_on()
            await self.until_all_heard()

    async def go_on(self) -> None:
        """Everybody writes the next number, and sometimes another one at once."""
        for person in self.written:
            for _ in range(self.chance.choice((1, 1, 2))):
                number = self.written[person]
                self.written[person] += 1
                await self.messenger.write(person, f"{number}")

    async def until_all_heard(self) -> None:
        """Return when everybody has every answer."""
        try:
            await self.messenger.until(self._all_heard, seconds=PATIENCE_SECONDS)
        except TimeoutError:
            raise AssertionError(f"after {self.deaths} deaths: {self.faults()}") from None

    def _all_heard(self) -> bool:
        return all(
            len(set(self.messenger.heard(one))) >= number for one, number in self.written.items()
        )

    def faults(self) -> list[str]:
        """What was lost, came in the wrong order, or more often than the kills explain."""
        return [fault for one in self.written for fault in self._faults(one)]

    def _faults(self, person: int) -> Sequence[str]:
        number, heard = self.written[person], self.messenger.heard(person)
        if [text for text, _ in groupby(heard)] != [f"{n}" for n in range(number)]:
            return [f"{person} heard {heard[-9:]} to {number} numbers"]
        often = [text for text, times in Counter(heard).items() if times > self.most_copies]
        if often or len(heard) - number > self.deaths:
            return [f"{person} heard {len(heard)} answers to {number} numbers; too often: {often}"]
        return []

    def told(self) -> str:
        """What happened, in figures."""
        heard = [self.messenger.heard(one) for one in self.written]
        doubled = sum(len(texts) - len(set(texts)) for texts in heard)
        return f"{self.deaths} kills, {sum(self.written.values())} messages, {doubled} twice"


async def lives_until_all_is_said(
    pool: Nurseries, people: Counting, *, begin: Callable[[], Awaitable[None]] | None = None
) -> None:
    """A life that ends in order, and in which people may `begin` to talk."""
    async with pool.one() as nursery, nursery.life(people.job) as life:
        if begin is not None:
            await begin()
        await people.until_all_heard()
        life.signal(signal.SIGTERM)
        assert await life.ended() == 0


async def dies(
    pool: Nurseries, people: Counting, job: Job, requests: int, *, mended: bool = False
) -> None:
    """A life that is killed at its point, or when so many requests were made while people talked.

    `mended`: only after what an earlier death left undone was done. An answer whose fate is
    unknown is repeated once, so that a second death in the middle of that would lose it.
    """
    async with pool.one() as nursery, nursery.life(job) as life:
        if mended:
            await people.until_all_heard()
        most = people.messenger.requests() + requests
        await _first_of(
            life.ended(),
            people.talk(),
            people.messenger.until(
                lambda: people.messenger.requests() >= most, seconds=PATIENCE_SECONDS
            ),
        )
        life.signal(signal.SIGKILL)
        assert await life.ended() == KILLED
    people.deaths += 1


async def _first_of(*works: Awaitable[Any]) -> None:
    """Return when one of them ends, or raise what it raised; the others are cancelled."""
    tasks = [asyncio.ensure_future(work) for work in works]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def passed_points(folder: Path) -> list[str]:
    """The points that a life has passed which ended in order, but those of its opening."""
    points = sorted((folder / "points").read_text("utf-8").split('"')[1::2])
    return [point for point in points if not point.startswith("opening")]
