"""Kills a companion at points and at random, lets it live on, and collects the faults."""

import asyncio
import random
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.crash.child import Job
from tests.crash.lives import KILLED, PATIENCE_SECONDS, Nurseries, Story, a_story
from tests.crash.verdict import faults

ONE = 1
SHORT = 3
"""Lines of each person that come to most points once."""

WHOLE = 100
MARKS_A_SEND = "storage.outbox."


@dataclass(frozen=True, slots=True)
class Kill:
    """One death: at a point that is passed for the `after`th time, or after some seconds."""

    point: str = ""
    after: int = 1
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.point} #{self.after}" if self.point else f"after {self.seconds:.3f} s"


@dataclass(frozen=True, slots=True)
class Plan:
    """Deaths in a row, in a conversation of so many lines."""

    kills: tuple[Kill, ...]
    lines: int = WHOLE
    repeatable: bool = True
    embedder: str = "none"

    def __str__(self) -> str:
        deaths = ", ".join(map(str, self.kills))
        return f"{deaths} ({'' if self.repeatable else 'not '}repeatable)"


@dataclass
class Undisturbed:
    """Lives that nobody disturbs, one for each length of conversation, to compare with."""

    pool: Nurseries
    folder: Path
    stories: dict[tuple[int, str], Story] = field(default_factory=dict)
    seconds: float = 0
    """How long the longest took."""
    _telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def story(self, lines: int, embedder: str = "none") -> Story:
        """What happens when nobody is killed."""
        async with self._telling:
            if (lines, embedder) not in self.stories:
                self.stories[lines, embedder] = await self._told(lines, embedder)
        return self.stories[lines, embedder]

    async def _told(self, lines: int, embedder: str) -> Story:
        folder = self.folder / f"{lines}-{embedder}"
        async with self.pool.one() as nursery, a_story(folder) as (story, job):
            job = replace(job, lines=lines, embedder=embedder, repeatable=False)
            began = asyncio.get_running_loop().time()
            story.end(await nursery.run(job))
            self.seconds = max(self.seconds, asyncio.get_running_loop().time() - began)
        return story


def at_every_point(short: Mapping[str, int], whole: Mapping[str, int]) -> Iterator[Plan]:
    """A death at each point: the first time, and once later, with either platform.

    `short` and `whole` tell how often each is passed in a conversation of that length.
    """
    repeatable = False
    for point, times in whole.items():
        opening = point.startswith("opening")
        for after in (1,) if opening or times == 1 else (1, times * 2 // 3 + 1):
            # only where it is unknown what has arrived is a send marked before it begins
            repeatable = not repeatable and MARKS_A_SEND not in point
            lines = ONE if opening else SHORT if after == 1 and point in short else WHOLE
            yield Plan((Kill(point, after),), lines=lines, repeatable=repeatable)


def while_vectors_are_made(points: Mapping[str, int], embedder: str) -> Iterator[Plan]:
    """A death at each point of the work in the background."""
    for point in points:
        if "vector" in point:
            yield Plan((Kill(point),), lines=SHORT, embedder=embedder)


def at_random(rng: random.Random, seconds: float) -> Iterator[Plan]:
    """Deaths without end, some in a row, in lives that take so many seconds undisturbed.

    A platform that does not know what it has had sees one death only: a piece whose fate is
    unknown twice is given up.
    """
    while True:
        yield Plan(tuple(Kill(seconds=rng.uniform(0, seconds / 3)) for _ in range(4)))
        yield Plan((Kill(seconds=rng.uniform(0, seconds)),), repeatable=False)


@dataclass
class Toll:
    """What came of some plans: how often somebody died, and a line for each fault."""

    deaths: int = 0
    faults: list[str] = field(default_factory=list)


async def toll(
    pool: Nurseries, folder: Path, plans: Iterable[Plan], undisturbed: Undisturbed
) -> Toll:
    """Carry out `plans`. Stories without a fault are removed."""
    found = Toll()

    async def follow(number: int, plan: Plan) -> None:
        calm = await undisturbed.story(plan.lines, plan.embedder)
        async with pool.one() as nursery, a_story(folder / f"{number}") as (story, job):
            for kill in plan.kills:
                seconds = PATIENCE_SECONDS if kill.seconds is None else kill.seconds
                story.end(await nursery.run(_killed(job, plan, kill), kill_in=seconds))
            if story.codes[-1] == KILLED:
                story.end(await nursery.run(_killed(job, plan, Kill())))
        wrong = faults(story, calm)
        found.deaths += len(story.deaths)
        found.faults += [f"{plan}: {fault} [{story.folder}]" for fault in wrong]
        if not wrong:
            shutil.rmtree(story.folder)

    async with asyncio.TaskGroup() as tasks:
        for number, plan in enumerate(plans):
            tasks.create_task(follow(number, plan))
    return found


def _killed(job: Job, plan: Plan, kill: Kill) -> Job:
    return replace(
        job,
        lines=plan.lines,
        repeatable=plan.repeatable,
        embedder=plan.embedder,
        kill_at=kill.point,
        kill_after=kill.after,
    )
