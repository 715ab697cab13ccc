"""`kill -9` anywhere: nothing is lost, out of order, or done twice.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

import os
import random
from itertools import islice
from pathlib import Path

import pytest

from tests.crash.conversation import LINES
from tests.crash.lives import Nurseries
from tests.crash.remains import Remains
from tests.crash.sweep import (
    SHORT,
    WHOLE,
    Toll,
    Undisturbed,
    at_every_point,
    at_random,
    toll,
    while_vectors_are_made,
)

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]
# no limit here: each life has its own

SPOKEN_FOR = ("a5", "b6")
"""Lines whose answer is not the model's: one is refused, the other says that a note was made."""
EMBEDDER = "wordllama"
KILLS = int(os.environ.get("COMPANION_KILLS", "25"))
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))


async def test_undisturbed_everybody_gets_every_answer(undisturbed: Undisturbed) -> None:
    story = await undisturbed.story(WHOLE)
    assert story.codes == [0]
    for person, lines in LINES.items():
        got = [one.text for one in story.delivered_to(person)]
        assert len(got) == sum(line.pieces for line in lines)
        spoken = "\n".join(text for text in got if not text.startswith("Taken back"))
        by_model = [line.marker for line in lines if line.steps and line.marker not in SPOKEN_FOR]
        at = [spoken.index(f"({marker})") for marker in by_model]
        assert at == sorted(at)
    assert len(story.model.asked) == len(set(story.model.asked))


async def test_undisturbed_the_queues_are_warned_and_flushed(undisturbed: Undisturbed) -> None:
    remains = Remains.of((await undisturbed.story(WHOLE)).database)
    for tables in remains.memory.values():
        assert tables["summaries"]
        assert any("Under pressure" in row[1] for row in tables["archival storage"])


async def test_a_kill_at_any_point_does_no_harm(
    pool: Nurseries, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    short, whole = await undisturbed.story(SHORT), await undisturbed.story(WHOLE)
    plans = list(at_every_point(short.points(), whole.points()))
    assert await toll(pool, tmp_path, plans, undisturbed) == Toll(deaths=len(plans))


async def test_a_kill_while_vectors_are_made_does_no_harm(
    pool: Nurseries, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    points = (await undisturbed.story(SHORT, EMBEDDER)).points()
    plans = list(while_vectors_are_made(points, EMBEDDER))
    assert len(plans) >= 6
    assert await toll(pool, tmp_path, plans, undisturbed) == Toll(deaths=len(plans))


async def test_kills_at_random_do_no_harm(
    pool: Nurseries, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    await undisturbed.story(WHOLE)
    plans = at_random(random.Random(SEED), undisturbed.seconds)
    deaths = batch = 0
    while deaths < KILLS:  # some come too late, and find a life that has ended
        some = list(islice(plans, (KILLS - deaths) // 3 + 1))
        come = await toll(pool, tmp_path / f"{batch}", some, undisturbed)
        assert come.faults == [], f"COMPANION_KILL_SEED={SEED}"
        deaths, batch = deaths + come.deaths, batch + 1
