"""The process that is killed: a companion, and a platform that people write on.

`python -m tests.crash.child` reads jobs from its input, a line of JSON each, and forks for each
one, so that only the first pays for the imports. It tells the process id and then the exit code.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Coroutine, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from adapters.all import connect
from companion.app import open_companion
from companion.running import Companion
from companion.settings import Settings
from companion.storage.vector_blocks import waiting
from tests.crash.broken import BREAKS
from tests.crash.conversation import LINES, PLATFORM
from tests.crash.platform import HastyPlatform, Platform
from tests.crash.points import Points, install
from tests.support.bot_api import TOKEN
from tests.support.discord_server.server import TOKEN as DISCORD_TOKEN

TELEGRAM_USERS = (7, 8, 9)
NOW = datetime(2025, 5, 5, 12, tzinfo=UTC)
WINDOW = 4352
LONGEST_SECONDS = 120
"""Longer than any life may last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One life of the companion in `folder`, with the model at `base_url`.

    It ends when `people` have said their first `lines` lines, all is quiet and what the embedder
    reads is read; or at the point
    `kill_at`, when that is passed for the `kill_after`th time. `breaks` names what is broken.
    Openers and nights are off unless it is to live `at` a moment of its own.
    """

    folder: str
    base_url: str
    people: tuple[str, ...] = tuple(LINES)
    lines: int = 100
    repeatable: bool = True
    embedder: str = "none"
    hasty: bool = False
    telegram: str = ""
    discord: Mapping[str, Any] = field(default_factory=dict)
    platform: str = PLATFORM
    at: str = ""
    kill_at: str = ""
    kill_after: int = 1
    breaks: str = ""

    @classmethod
    def read(cls, line: str) -> Self:
        return cls(**json.loads(line))

    def line(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class StandingClock:
    """The same moment always, so that no two runs differ in what they count."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at


def settings(job: Job) -> Settings:
    """A small window, and the model of the test."""
    model = {
        "name": "scripted",
        "base_url": job.base_url,
        "window_tokens": WINDOW,
        "answer_tokens": 512,
    }
    given: dict[str, Any] = {
        "models": [model],
        "embedder": {"kind": job.embedder},
        "people": {"hello": ""},
        "limits": {"messages_a_minute": "none"},
        # a kill may put the offer off to the next turn, and the last line has none
        "openers": {"enabled": bool(job.at)},
        "night": {"enabled": bool(job.at)},
    }
    if job.telegram:
        given["telegram"] = {"allowed": TELEGRAM_USERS, "base_url": job.telegram}
        given["gathering"] = {"pause_seconds": 0}
    if job.discord:
        given["discord"] = job.discord
        given["gathering"] = {"pause_seconds": 0}
    return Settings.model_validate(given)


async def live(job: Job) -> int:
    """Run the companion until all is said and answered."""
    points = Points((job.kill_at, job.kill_after) if job.kill_at else None)
    install(points)
    folder = Path(job.folder)
    kind = HastyPlatform if job.hasty else Platform
    platform = kind(folder, repeatable=job.repeatable, passes=points.pass_)
    clock = StandingClock(datetime.fromisoformat(job.at)) if job.at else StandingClock()
    async with open_companion(
        folder / "home", settings=settings(job), environ={}, clock=clock
    ) as companion:
        if job.telegram:
            await _on_a_platform(companion, job, points, {"TELEGRAM_BOT_TOKEN": TOKEN})
        if job.discord:
            await _on_a_platform(companion, job, points, {"DISCORD_BOT_TOKEN": DISCORD_TOKEN})
        companion.people.trust(job.platform)
        companion.deliver(job.platform, platform.send, repeatable=job.repeatable)
        await _everybody_talks(companion, platform, job)
        points.pass_("before stopping")
    points.pass_("after stopping")
    (folder / "points").write_text(json.dumps(points.passed), encoding="utf-8")
    return 0


async def _on_a_platform(
    companion: Companion, job: Job, points: Points, environ: Mapping[str, str]
) -> None:
    """Be on the platform that `environ` has the token for, until told to stop."""
    (adapter,) = connect(companion, settings(job), environ)
    try:
        await adapter.run(companion.handle)
    finally:
        (Path(job.folder) / "points").write_text(json.dumps(points.passed), encoding="utf-8")


async def _everybody_talks(companion: Companion, platform: Platform, job: Job) -> None:
    async with asyncio.TaskGroup() as tasks:
        for person in job.people:
            tasks.create_task(platform.talk(LINES[person][: job.lines], companion.handle))
    await companion.quiet()
    if job.embedder != "none":
        await _all_have_vectors(companion)


async def _all_have_vectors(companion: Companion) -> None:
    # nobody tells when the last one is there
    while await companion._db.read(lambda tx: bool(waiting(tx, 1))):  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def until_told_to_stop(work: Coroutine[Any, Any, int]) -> int:
    """What `work` returns; SIGTERM ends it in order, as the command does."""
    task = asyncio.ensure_future(work)
    told: list[bool] = []

    def stop() -> None:
        told.append(True)
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await task
    except asyncio.CancelledError:
        return 0 if told else 1


def _run_forked(job: Job) -> None:
    """Do `job` in this process, and leave it."""
    code = 70
    try:
        log = os.open(Path(job.folder) / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, sys.stdout.fileno())
        os.dup2(log, sys.stderr.fileno())
        signal.alarm(LONGEST_SECONDS)  # nobody else ends it if the tests are killed themselves
        if job.breaks:
            BREAKS[job.breaks]()
        code = asyncio.run(until_told_to_stop(live(job)))
    except BaseException:  # noqa: BLE001 - nothing of this may run on in the parent's place
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Fork for each job until the input ends."""
    _import_what_is_imported_late()
    for line in sys.stdin:
        job = Job.read(line)
        process = os.fork()
        if process == 0:
            _run_forked(job)
        _tell(process)
        _, status = os.waitpid(process, 0)
        _tell(os.waitstatus_to_exitcode(status))


def _import_what_is_imported_late() -> None:
    import openai

    import adapters.discord
    import adapters.telegram  # noqa: F401 - so that only the first pays for it

    openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:1")
    gc.freeze()  # no collection shall copy the pages that are shared with the parent


def _tell(number: int) -> None:
    print(number, flush=True)


if __name__ == "__main__":
    main()
