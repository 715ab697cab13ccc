"""SIGTERM ends a companion that is thinking, within 20 seconds, and nothing is lost by it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crash.child import WINDOW, Job
from tests.crash.lives import KILLED, REPOSITORY, Nurseries, Story, a_story
from tests.crash.verdict import faults

pytestmark = pytest.mark.asyncio(loop_scope="session")

TWO = ("Anna", "Ben")
LIMIT_SECONDS = 20


@asynccontextmanager
async def two_being_thought_about(folder: Path) -> AsyncIterator[tuple[Story, Job]]:
    """A story in which the model keeps two people waiting."""
    async with a_story(folder) as (story, job):
        story.model.gate.lines = frozenset({"a1", "b1"})
        yield story, replace(job, people=TWO, lines=1)


async def ends_in_time(ending: Awaitable[int]) -> int:
    async with asyncio.timeout(LIMIT_SECONDS):
        return await ending


async def calm(pool: Nurseries, folder: Path) -> Story:
    async with pool.one() as nursery, a_story(folder / "calm") as (story, job):
        story.end(await nursery.run(replace(job, people=TWO, lines=1)))
    return story


async def test_answers_that_come_soon_are_still_sent(pool: Nurseries, tmp_path: Path) -> None:
    expected = await calm(pool, tmp_path)
    async with (
        pool.one() as nursery,
        two_being_thought_about(tmp_path / "story") as (story, job),
        nursery.life(job) as life,
    ):
        await story.model.gate.holds(2)
        life.signal(signal.SIGTERM)
        story.model.gate.open()
        story.end(await ends_in_time(life.ended()))
    assert faults(story, expected) == []


async def test_answers_that_do_not_come_are_thought_about_again_after_the_start(
    pool: Nurseries, tmp_path: Path
) -> None:
    expected = await calm(pool, tmp_path)
    async with pool.one() as nursery, two_being_thought_about(tmp_path / "story") as (story, job):
        async with nursery.life(job) as life:
            await story.model.gate.holds(2)
            life.signal(signal.SIGTERM)
            story.end(await ends_in_time(life.ended()))
        assert story.delivered_to("Anna") == story.delivered_to("Ben") == []
        story.model.gate.open()
        story.end(await nursery.run(job))
    assert faults(story, expected) == []


async def test_the_command_ends_in_time_and_keeps_what_it_was_thinking_about(
    pool: Nurseries, tmp_path: Path
) -> None:
    expected = await calm(pool, tmp_path)
    async with pool.one() as nursery, two_being_thought_about(tmp_path / "story") as (story, job):
        story.end(await nursery.run(replace(job, kill_at="after acknowledging", kill_after=2)))
        assert story.codes == [KILLED]
        held = story.model.gate.held
        command = await companion_run(tmp_path, story, job)
        await story.model.gate.holds(held + 2)
        command.send_signal(signal.SIGTERM)
        assert await ends_in_time(command.wait()) == 0
        story.model.gate.open()
        story.end(await nursery.run(job))
    assert faults(story, expected) == []


async def companion_run(folder: Path, story: Story, job: Job) -> asyncio.subprocess.Process:
    """The command that an operator starts, on the home of `story`."""
    settings = folder / "companion.toml"
    settings.write_text(
        f"""
        [[models]]
        name = "scripted"
        base_url = "{job.base_url}"
        window_tokens = {WINDOW}
        answer_tokens = 512
        [embedder]
        kind = "none"
        """,
        encoding="utf-8",
    )
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "companion",
        "run",
        cwd=REPOSITORY,
        env={
            **os.environ,
            "COMPANION_HOME": str(story.home),
            "COMPANION_CONFIG": str(settings),
        },
    )
