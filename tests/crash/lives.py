"""Lets a companion live, die and live again, and notes what was there at each death."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.child import Job
from tests.crash.model import CountingModel
from tests.crash.platform import Delivery, deliveries
from tests.crash.remains import Remains
from tests.support.model_server import ModelServer

PATIENCE_SECONDS = 30
"""How long a life may last that takes a second or two."""

REPOSITORY = Path(__file__).parents[2]
KILLED = -signal.SIGKILL


class Nursery:
    """A process that others are forked from, one at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def run(self, job: Job, *, kill_in: float = PATIENCE_SECONDS) -> int:
        """The exit code of a life, which is killed if it lasts `kill_in` seconds."""
        async with self.life(job) as life:
            try:
                async with asyncio.timeout(kill_in):
                    return await life.ended()
            except TimeoutError:
                life.signal(signal.SIGKILL)
                return await life.ended()

    @asynccontextmanager
    async def life(self, job: Job) -> AsyncIterator["Life"]:
        """A life that has begun; leaving the block ends it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{job.line()}\n".encode())
        life = Life(await self._told(), asyncio.ensure_future(self._told()))
        try:
            yield life
        finally:
            life.signal(signal.SIGKILL)
            await life.ended()

    async def _told(self) -> int:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        assert line, "the process that forks has ended"
        return int(line)


@dataclass(frozen=True, slots=True)
class Life:
    """A running companion."""

    process: int
    _code: asyncio.Future[int]

    def signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if not self._code.done():
            with suppress(ProcessLookupError):  # it has, a moment ago
                os.kill(self.process, number)

    async def ended(self) -> int:
        """Its exit code, once it has one."""
        return await asyncio.shield(self._code)


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A process to fork from, with everything imported."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.child",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        yield Nursery(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


class Nurseries:
    """As many as there are lives at the same time."""

    def __init__(self, free: Sequence[Nursery]) -> None:
        self._free: asyncio.Queue[Nursery] = asyncio.Queue()
        for one in free:
            self._free.put_nowait(one)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Nursery]:
        """One that nobody uses meanwhile."""
        nursery = await self._free.get()
        try:
            yield nursery
        finally:
            self._free.put_nowait(nursery)


@asynccontextmanager
async def nurseries(number: int) -> AsyncIterator[Nurseries]:
    """So many processes to fork from."""
    async with AsyncExitStack() as stack:
        opening = [stack.enter_async_context(nursery()) for _ in range(number)]
        yield Nurseries([await one for one in opening])


@dataclass(frozen=True, slots=True)
class Death:
    """What was there when a life was cut off: on disk, at the platform, and asked so far."""

    remains: Remains
    last_delivered: Mapping[str, int]
    asked: int


@dataclass
class Story:
    """What happened in one folder, from the first start to the last end."""

    folder: Path
    model: CountingModel
    codes: list[int] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def database(self) -> Path:
        return self.home / "companion.db"

    def people(self) -> list[str]:
        """Who got something."""
        return sorted({one.person for one in deliveries(self.folder)})

    def delivered_to(self, person: str) -> list[Delivery]:
        """What was delivered to `person`, in order, and again where that happened."""
        return [one for one in deliveries(self.folder) if one.person == person]

    def points(self) -> dict[str, int]:
        """How often each point was passed in a life that came to its end."""
        counted: dict[str, int] = json.loads((self.folder / "points").read_text("utf-8"))
        return counted

    def end(self, code: int) -> None:
        """A life ended with this exit code."""
        self.codes.append(code)
        if code == KILLED:
            last = {one.person: one.id for one in deliveries(self.folder)}
            self.deaths.append(Death(self._remains(), last, len(self.model.asked)))

    def _remains(self) -> Remains:
        """What is on disk, read from a copy: the next life shall find it untouched."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.home, copy) if self.home.exists() else copy.mkdir()
        return Remains.of(copy / "companion.db")


@asynccontextmanager
async def a_story(folder: Path) -> AsyncIterator[tuple[Story, Job]]:
    """A folder with a model that answers; the job is that of an undisturbed life."""
    folder.mkdir(parents=True)  # noqa: ASYNC240 - a moment
    model = CountingModel(
        lambda person: [one.text for one in deliveries(folder) if one.person == person]
    )
    async with ModelServer(model.answer, keep=1) as server:
        yield Story(folder, model), Job(folder=str(folder), base_url=server.base_url)
