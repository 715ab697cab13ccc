"""Each check of the sweep sees its kind of harm: what keeps it away is broken, and it is there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.crash.lives import KILLED, Nurseries, Story, a_story
from tests.crash.verdict import faults

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def kinds(
    pool: Nurseries,
    folder: Path,
    *,
    kill: tuple[str, int],
    resumed: bool = True,
    held: str = "",
    **options: Any,
) -> set[str]:
    """The kinds of harm that are seen after a kill."""
    async with pool.one() as nursery, a_story(folder / "calm") as (calm, job):
        calm.end(await nursery.run(replace(job, **(options | {"hasty": False, "breaks": ""}))))
    async with pool.one() as nursery, a_story(folder / "story") as (story, job):
        job = replace(job, **options)
        story.model.gate.lines = frozenset({held})
        story.end(await nursery.run(replace(job, kill_at=kill[0], kill_after=kill[1])))
        assert story.codes == [KILLED]
        story.model.gate.open()
        if resumed:
            story.end(await nursery.run(job))
    return _kinds(faults(story, calm))


def _kinds(lines: Sequence[str]) -> set[str]:
    return {line.partition(":")[0] for line in lines}


async def test_a_life_that_is_not_taken_up_again(pool: Nurseries, tmp_path: Path) -> None:
    kill = ("after commit: turns.steps.Steps.store.work", 1)
    assert await kinds(pool, tmp_path, kill=kill, lines=1, resumed=False) == {
        "end",
        "left open",
        "lost",
        "memory",
    }


async def test_a_message_that_is_acknowledged_before_it_is_kept(
    pool: Nurseries, tmp_path: Path
) -> None:
    kill = ("after acknowledging", 1)
    assert "lost" in await kinds(pool, tmp_path, kill=kill, lines=1, hasty=True)
    # what is broken here is the platform: ours, killed at the same place, loses nothing
    assert not await kinds(pool, tmp_path / "ours", kill=kill, lines=1)


async def test_an_answer_that_is_not_in_the_journal(pool: Nurseries, tmp_path: Path) -> None:
    # the fifth is the first that looks something up, which comes after it is stored
    kill, breaks = ("after commit: turns.steps.Steps.store.work", 5), "answers are not journaled"
    found = await kinds(pool, tmp_path, kill=kill, lines=4, people=("Anna",), breaks=breaks)
    assert "asked again" in found


async def test_a_call_that_is_not_in_the_journal(pool: Nurseries, tmp_path: Path) -> None:
    kill = ("after commit: turns.steps.Steps.store.work", 2)
    breaks = "calls are not journaled"
    found = await kinds(pool, tmp_path, kill=kill, lines=2, people=("Anna",), breaks=breaks)
    assert "memory" in found


async def test_a_send_that_is_not_marked(pool: Nurseries, tmp_path: Path) -> None:
    breaks = "sends are not marked"
    found = await kinds(
        pool, tmp_path, kill=("after send", 2), lines=2, people=("Anna",), breaks=breaks
    )
    assert "doubled" in found


async def test_an_order_that_is_not_kept(pool: Nurseries, tmp_path: Path) -> None:
    # three lines of Cleo's come while the first is thought about
    kill, breaks = ("after acknowledging", 4), "the newest goes first"
    found = await kinds(
        pool, tmp_path, kill=kill, lines=4, people=("Cleo",), held="c1", breaks=breaks
    )
    assert "order" in found


async def test_a_home_that_is_left_open(pool: Nurseries, tmp_path: Path) -> None:
    kill, breaks = ("before send", 1), "the database is not closed"
    assert await kinds(pool, tmp_path, kill=kill, lines=1, breaks=breaks) == {"left open"}


async def test_a_file_that_is_damaged(pool: Nurseries, tmp_path: Path) -> None:
    async with pool.one() as nursery, a_story(tmp_path / "story") as (story, job):
        story.end(await nursery.run(replace(job, lines=1)))
    assert faults(story, story) == []
    _damage(story)
    assert "damaged" in _kinds(faults(story, story))


def _damage(story: Story) -> None:
    """Write over the second half of each page but the first."""
    data = bytearray(story.database.read_bytes())
    for page in range(4096, len(data), 4096):
        data[page + 2048 : page + 4096] = bytes(2048)
    story.database.write_bytes(data)
