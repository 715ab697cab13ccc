"""`kill -9` while the companion writes first, and while it puts memory in order at night.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

import json
import os
import random
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from companion.context.working_context import about_person
from companion.llm.protocol import Reply
from companion.settings import NightSettings, Settings
from companion.storage.connection import connect
from tests.crash.child import Job
from tests.crash.lives import KILLED, Nurseries, Nursery
from tests.crash.platform import deliveries
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls
from tests.support.openers import agreed, wait, writes
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.scripted_llm import calls as replies
from tests.support.world import PLATFORM, World, a_world

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]

KILLS = int(os.environ.get("COMPANION_KILLS", "2"))
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))
SECONDS = 1.0
"""A life that nobody disturbs takes about so long."""

NIGHTLY = Settings(night=NightSettings(enabled=True))
LINES = ("Has a cat, Minka.", "The cat is Minka.", "Interview next Thursday.")
NOTES = ("Minka is a cat.", "Minka the cat is grey.")
TIDY = {
    "lines": [{"line": 2, "text": ""}, {"line": 3, "text": "Interview on 2025-05-15."}],
    "notes": [{"notes": [1, 2], "text": "Minka is a grey cat."}],
}
TIDIED = (["Has a cat, Minka.", "Interview on 2025-05-15."], ["Minka is a grey cat."])
UNTIDY = (list(LINES), list(NOTES))
ON_ITS_WAY = (
    "after commit: turns.steps.Steps.store.work",
    "before send",
    "after commit: deliveries.Deliveries._mark.work",
)
"""Where a kill leaves it unknown whether an opener arrives, if the platform can't tell."""
LEFT = "SELECT kind FROM inbox WHERE state <> 'done'"
BESIDE = ("opening", "pruning", "stopping")
"""In the names of the points that have nothing to do with an errand."""

Memory = tuple[list[str], list[str]]


def answers() -> Callable[[Asked], Answer]:
    """A model that drafts other words each time that it is asked, and tidies when told to."""
    times = count(1)

    def answer(asked: Asked) -> Answer:
        names = [tool["function"]["name"] for tool in asked["tools"]]
        if "tidy_memory" in names:
            return calls(tidy_memory=TIDY)
        assert "send_opener" in names, names
        draft = {"text": f"Draft {next(times)}: good luck at Acme!", "about": 1}
        return calls(send_opener=draft)

    return answer


async def a_day(world: World, llm: ScriptedLLM) -> None:
    """Anna talks, and things are kept twice."""
    await world.say("/timezone Berlin")
    for number in range(3):
        llm.will(sends(f"Oh! {number}"))
        await world.say(f"Well, {number}")
    memory = await world.memory()
    for line in LINES:
        await memory.append(line)
    for note in NOTES:
        await memory.add(note)


@dataclass(frozen=True, slots=True)
class Errand:
    """What comes `before` it, the `reply` of the model, and where it is written `when` it was."""

    before: Callable[[World, ScriptedLLM], Awaitable[None]]
    reply: Reply
    when: str


WRITE_FIRST = Errand(agreed, writes("Good luck!"), "SELECT asked_at FROM opener")
TIDY_UP = Errand(a_day, replies(("tidy_memory", TIDY)), "SELECT at FROM tidying")


async def prepared(folder: Path, model: ModelServer, errand: Errand) -> Job:
    """A home in which an errand is due, and a life at the moment when it is."""
    llm = ScriptedLLM()
    async with a_world(folder / "home", llm, settings=NIGHTLY) as world:
        await errand.before(world, llm)
    shutil.copytree(folder / "home", folder / "ahead")
    llm.will(errand.reply)
    async with a_world(folder / "ahead", llm, settings=NIGHTLY) as world:
        while not (rows := await world.rows(errand.when)):
            await wait(world, world.clock.now() + timedelta(hours=1))
    ((moment,),) = rows
    return Job(
        folder=str(folder),
        base_url=model.base_url,
        people=(),
        platform=PLATFORM,
        at=str(moment),
    )


def anew(job: Job, folder: Path) -> Job:
    """The same life in a home of its own."""
    shutil.copytree(Path(job.folder) / "home", folder / "home")
    return replace(job, folder=str(folder))


async def points(nursery: Nursery, job: Job, folder: Path) -> list[str]:
    """What a life passes that nobody disturbs."""
    assert await nursery.run(anew(job, folder)) == 0
    passed: dict[str, int] = json.loads((folder / "points").read_text("utf-8"))
    return [point for point in passed if not any(word in point for word in BESIDE)]


def rows(folder: Path, *queries: str) -> list[list[tuple[Any, ...]]]:
    """What is in the database, read from a copy: the next life shall find it untouched."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "home", copy)
    tx = connect(copy / "companion.db", None)
    try:
        return [tx.execute(query).fetchall() for query in queries]
    finally:
        tx.close()


def memory(folder: Path) -> Memory:
    """The lines and the notes about Anna."""
    contexts, notes = rows(
        folder,
        "SELECT text FROM working_context ORDER BY id DESC LIMIT 1",
        "SELECT text FROM passage ORDER BY id",
    )
    return about_person(contexts[0][0]), [text for (text,) in notes]


def opener_faults(folder: Path, *, may_be_lost: bool) -> list[str]:
    """What is wrong after an opener, with what came to Anna and with what is kept of it."""
    came = [one.text for one in deliveries(folder) if not one.again]
    kept, wish, to_come, left = rows(
        folder,
        "SELECT opener.state, outbox.text FROM opener LEFT JOIN outbox ON outbox.id = outbox_id",
        "SELECT wish FROM opener_wish",
        "SELECT COUNT(*) FROM schedule WHERE purpose = 'opener' AND state = 'active'",
        LEFT,
    )
    faults = []
    if len(came) > 1 or not (came or may_be_lost):
        faults.append(f"came: {came}")
    if len(kept) != 1 or kept[0][0] != "sent" or (came and came != [kept[0][1]]):
        faults.append(f"kept: {kept}, came: {came}")
    if wish != [("on",)] or to_come != [(1,)] or left:
        faults.append(f"wish: {wish}, to come: {to_come}, left: {left}")
    return faults


async def live_on(nursery: Nursery, job: Job) -> None:
    """Come to the end, and live once more later that day."""
    assert await nursery.run(job) == 0
    later = datetime.fromisoformat(job.at) + timedelta(minutes=90)
    assert await nursery.run(replace(job, at=later.isoformat())) == 0


async def undone(folder: Path) -> Memory:
    """Memory after an undo."""
    async with a_world(folder / "home", ScriptedLLM(), settings=NIGHTLY) as world:
        await world.say("/undo")
    return memory(folder)


async def night_faults(folder: Path) -> list[str]:
    """What is wrong after a night, and after that was undone."""
    faults = []
    if memory(folder) != TIDIED:
        faults.append(f"tidied: {memory(folder)}")
    if rows(folder, "SELECT COUNT(*) FROM tidying") != [[(1,)]] or deliveries(folder):
        faults.append(f"more than one night, or something came: {deliveries(folder)}")
    if rows(folder, LEFT) != [[]]:
        faults.append(f"left: {rows(folder, LEFT)}")
    if (after := await undone(folder)) != UNTIDY:
        faults.append(f"undone: {after}")
    return faults


async def test_a_kill_at_each_point_of_an_opener_neither_loses_nor_doubles_it(
    pool: Nurseries, tmp_path: Path
) -> None:
    faults: dict[tuple[str, bool], Sequence[str]] = {}
    async with ModelServer(answers(), keep=1) as model, pool.one() as nursery:
        job = await prepared(tmp_path, model, WRITE_FIRST)
        passed = await points(nursery, job, tmp_path / "whole")
        assert {*ON_ITS_WAY, "after asking: answer"} <= set(passed)
        cases = [(point, True) for point in passed] + [(point, False) for point in ON_ITS_WAY]
        for number, (point, repeatable) in enumerate([*cases, ("after send", False)]):
            folder = tmp_path / str(number)
            one = replace(anew(job, folder), repeatable=repeatable)
            assert await nursery.run(replace(one, kill_at=point)) == KILLED
            assert await nursery.run(one) == 0
            unknown = not repeatable and point in ON_ITS_WAY
            faults[point, repeatable] = opener_faults(folder, may_be_lost=unknown)
    assert {case: found for case, found in faults.items() if found} == {}


async def test_a_kill_at_each_point_of_a_night_leaves_nothing_half_done(
    pool: Nurseries, tmp_path: Path
) -> None:
    faults: dict[str, Sequence[str]] = {}
    async with ModelServer(answers(), keep=1) as model, pool.one() as nursery:
        job = await prepared(tmp_path, model, TIDY_UP)
        passed = await points(nursery, job, tmp_path / "whole")
        assert "before commit: night.thoughts.Night.run" in passed
        for number, point in enumerate(passed):
            folder = tmp_path / str(number)
            one = anew(job, folder)
            assert await nursery.run(replace(one, kill_at=point)) == KILLED
            assert memory(folder) in (UNTIDY, TIDIED), point
            assert await nursery.run(one) == 0
            faults[point] = await night_faults(folder)
    assert {point: found for point, found in faults.items() if found} == {}


async def test_kills_at_random_double_no_opener_and_leave_no_night_half_done(
    pool: Nurseries, tmp_path: Path
) -> None:
    chance, deaths, number = random.Random(SEED), 0, 0
    seed = f"COMPANION_KILL_SEED={SEED}"
    (tmp_path / "opener").mkdir()
    (tmp_path / "night").mkdir()
    async with ModelServer(answers(), keep=1) as model, pool.one() as nursery:
        opener = await prepared(tmp_path / "opener", model, WRITE_FIRST)
        night = await prepared(tmp_path / "night", model, TIDY_UP)
        while deaths < KILLS:
            number += 1
            one = anew(opener, tmp_path / f"opener{number}")
            deaths += await nursery.run(one, kill_in=chance.uniform(0, SECONDS)) == KILLED
            await live_on(nursery, one)
            assert opener_faults(Path(one.folder), may_be_lost=False) == [], seed
            one = anew(night, tmp_path / f"night{number}")
            deaths += await nursery.run(one, kill_in=chance.uniform(0, SECONDS)) == KILLED
            assert await nursery.run(one) == 0
            assert await night_faults(Path(one.folder)) == [], seed
    print(f"{deaths} kills, {number} openers and as many nights")
