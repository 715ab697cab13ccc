"""Who is let in from the command line is told so in their chat, once."""

import random
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.home import Home
from companion.people.access import HELLO, Access
from companion.storage.database import Database
from tests.companion.cli.conftest import Here
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

THERE = "elsewhere"
ANNA = Sender(user="7", name="Anna")


def listening(world: World) -> list[str]:
    """What is delivered on that platform from now on."""
    heard: list[str] = []

    async def hear(message: OutgoingMessage) -> None:
        heard.append(message.text)

    world.companion.deliver(THERE, hear)
    return heard


async def asked(folder: Path) -> str:
    """The code that Anna was given."""
    home = Home(folder)
    home.make()
    db = await Database.open(home.database)
    told = await Access(db, clock=SystemClock(), rng=random.Random(1)).turned_away(THERE, ANNA, "7")
    await db.close()
    assert told is not None
    return told[-9:]


def living(folder: Path, *answers: str) -> AbstractAsyncContextManager[World]:
    clock = VirtualClock(SystemClock().now())
    return a_world(folder, ScriptedLLM(*map(sends, answers)), clock=clock, hello=HELLO)


async def test_they_are_told_beside_a_companion_that_runs(tmp_path: Path, here: Here) -> None:
    code = await asked(tmp_path)
    async with living(tmp_path) as world:
        heard = listening(world)
        assert (await here(tmp_path, "people", "approve", code)).code == 0
        for _ in range(3):
            await world.pass_time(timedelta(minutes=1))
        assert heard == [HELLO]


async def test_they_are_told_at_the_next_start_and_once(tmp_path: Path, here: Here) -> None:
    code = await asked(tmp_path)
    await here(tmp_path, "people", "approve", code)
    for said in ([HELLO], []):
        async with living(tmp_path) as world:
            heard = listening(world)
            await world.pass_time()
            await world.pass_time()
            assert heard == said


@pytest.mark.parametrize("killed", ["claimed", "answered"])
async def test_a_kill_between_loses_and_doubles_nothing(
    tmp_path: Path, here: Here, killed: str
) -> None:
    await here(tmp_path, "people", "approve", await asked(tmp_path))
    async with living(tmp_path) as world:
        if killed == "claimed":
            world.lanes.cancel()
        await world.firing.fire_due()  # nothing delivers there yet
        if killed == "answered":
            await world.lanes.settled()
    async with living(tmp_path) as world:
        heard = listening(world)
        await world.companion.quiet()
        await world.pass_time()
        assert heard == [HELLO]


async def test_who_writes_first_is_told_then_and_not_again(tmp_path: Path, here: Here) -> None:
    await here(tmp_path, "people", "approve", await asked(tmp_path))
    async with living(tmp_path, "Hello Anna!") as world:
        heard = listening(world)
        address, at = Address(platform=THERE, chat="7"), world.clock.now()
        event = MessageReceived(id="1", address=address, sender=ANNA, at=at, text="Hi")
        await world.companion.handle(event)
        await world.companion.quiet()
        await world.pass_time()
        assert heard == [HELLO, "Hello Anna!"]


async def test_who_is_approved_by_number_is_told_when_they_write(
    tmp_path: Path, here: Here
) -> None:
    Home(tmp_path).make()
    await (await Database.open(Home(tmp_path).database)).close()
    await here(tmp_path, "people", "approve", f"{THERE}:7")
    async with living(tmp_path) as world:
        assert await world.rows("SELECT * FROM schedule") == []
