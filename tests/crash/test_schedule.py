"""`kill -9` while reminders and check-ins come due: each comes once.

COMPANION_KILLS sets how many kills at random there are, COMPANION_KILL_SEED which.
"""

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from companion.events import Address, Sender
from companion.home import Home
from companion.storage import people, schedule
from companion.storage.database import Database, Tx
from companion.timed.recurrence import Rule
from tests.crash.child import NOW, Job
from tests.crash.conversation import PLATFORM
from tests.crash.lives import KILLED, Nurseries
from tests.crash.platform import deliveries
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(0)]

KILLS = int(os.environ.get("COMPANION_KILLS", "8"))
SEED = int(os.environ.get("COMPANION_KILL_SEED", "1"))
PEOPLE = 30
EACH = 3
SECONDS = 2.0
"""A life is killed within so many, and the next may be longer: each must come further."""
LONGER = 1.1


def echo(asked: Asked) -> Answer:
    """Says what it was told to bring up last."""
    events = [str(m["content"]) for m in asked["messages"] if "(nobody wrote" in str(m["content"])]
    return calls(send_message={"message": events[-1].rpartition(") ")[2]})


def plan(tx: Tx, purpose: str) -> None:
    """Something is due now for everybody, several times."""
    for person in range(PEOPLE):
        address = Address(platform=PLATFORM, chat=f"P{person}")
        place = people.place(tx, address, Sender(user=f"P{person}", name="P"), NOW)
        for number in range(EACH):
            schedule.add(
                tx,
                place,
                purpose=purpose,
                text=f"{person}, {number}",
                rule=Rule(repeats="once", at=NOW),
                due_at=NOW,
                now=NOW,
            )


async def a_home(folder: Path, model: ModelServer, purpose: str, *, repeatable: bool) -> Job:
    """A home in which a lot is due, and what runs on it."""
    home = Home(folder / "home")
    home.make()
    db = await Database.open(home.database)
    await db.write(lambda tx: plan(tx, purpose))
    await db.close()
    return Job(folder=str(folder), base_url=model.base_url, people=(), repeatable=repeatable)


def heard(folder: Path) -> Counter[str]:
    """How often each text was shown to its person."""
    return Counter(one.text for one in deliveries(folder) if not one.again)


EVERYTHING = Counter(f"{person}, {number}" for person in range(PEOPLE) for number in range(EACH))


async def test_a_kill_at_each_point_of_claiming_loses_and_doubles_nothing(
    pool: Nurseries, tmp_path: Path
) -> None:
    async with ModelServer(echo, keep=1) as model, pool.one() as nursery:
        for number, point in enumerate(("before commit", "after commit")):
            folder = tmp_path / str(number)
            job = await a_home(folder, model, "reminder", repeatable=True)
            name = f"{point}: timed.firing.claim"
            assert await nursery.run(replace(job, kill_at=name)) == KILLED
            assert await nursery.run(job) == 0
            assert heard(folder) == EVERYTHING


async def test_kills_at_random_lose_and_double_no_reminder(pool: Nurseries, tmp_path: Path) -> None:
    chance, deaths, number = random.Random(SEED), 0, 0
    async with ModelServer(echo, keep=1) as model, pool.one() as nursery:
        while deaths < KILLS:
            number += 1
            folder = tmp_path / str(number)
            job = await a_home(folder, model, "reminder", repeatable=True)
            seconds = SECONDS
            while await nursery.run(job, kill_in=chance.uniform(0, seconds)) == KILLED:
                deaths, seconds = deaths + 1, seconds * LONGER
            assert heard(folder) == EVERYTHING, f"COMPANION_KILL_SEED={SEED}"
    print(f"{deaths} kills, {number} times {PEOPLE * EACH} reminders")


async def test_kills_at_random_repeat_no_check_in(pool: Nurseries, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with ModelServer(echo, keep=1) as model, pool.one() as nursery:
        job = await a_home(tmp_path / "home", model, "check_in", repeatable=False)
        deaths = 0
        for _ in range(max(KILLS // 4, 1)):
            deaths += await nursery.run(job, kill_in=chance.uniform(0.2, 1.5)) == KILLED
        assert await nursery.run(job) == 0
        times = heard(tmp_path / "home")
        assert max(times.values()) == 1
        # of what was on its way when a kill came nobody knows whether it arrived
        assert len(EVERYTHING) - len(times) <= deaths * PEOPLE
