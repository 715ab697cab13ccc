"""What people may have of the model: limits that hold, and turns that end kindly."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.llm.protocol import Message, Reply, Usage
from companion.people.allowance import EVERYBODYS, NOTHING_AT_ALL, YOURS
from companion.people.manners import TOO_FAST
from companion.people.turns import BEHIND, Turns
from companion.settings import Settings
from companion.storage import access
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import World, a_world

APP = "app"


def limited(**limits: Any) -> Settings:
    return Settings.model_validate({"limits": limits, "gathering": {"pause_seconds": 0}})


def busy(_messages: Sequence[Message]) -> Reply:
    """Says something, and wants to go on for ever."""
    return calls(("archival_storage_search", {"query": "x", "request_heartbeat": True}))


def dear(_messages: Sequence[Message]) -> Reply:
    return replace(sends("Hi"), usage=Usage(100, 0, 10, 0.6))


async def test_a_person_who_used_up_their_day_is_told_so_and_others_are_not(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(lambda _: sends("Hi"))
    async with a_world(tmp_path, llm, settings=limited(tokens_a_day=200)) as world:
        assert [await world.say(f"number {n}") for n in range(3)] == [["Hi"], ["Hi"], [YOURS]]
        assert await world.say("hello", "Ben") == ["Hi"]
        assert (await world.say("/usage"))[0].startswith("Today 220 of 200 tokens")
        world.clock.advance(timedelta(hours=12))
        assert await world.say("a new day") == ["Hi"]
        assert "number 2" in llm.prompts[-1][-3].text


async def test_a_limit_reached_in_the_middle_of_a_turn_ends_it_with_one_sentence(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(busy)
    async with a_world(tmp_path, llm, settings=limited(tokens_a_day=300)) as world:
        assert await world.say("look for x") == [YOURS]
        assert len(llm.prompts) == 3
        assert await world.rows("SELECT DISTINCT state FROM inbox") == [("done",)]
        said = await world.rows("SELECT said FROM message WHERE said <> ''")
        assert said == [("look for x",)]


async def test_a_ceiling_for_all_stops_everybody_and_the_operator_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    llm = ScriptedLLM(dear)
    async with a_world(tmp_path, llm, settings=limited(dollars_a_day_for_all=1)) as world:
        assert await world.say("one") == ["Hi"]
        assert await world.say("two", "Ben") == ["Hi"]
        assert await world.say("three") == [EVERYBODYS]
        assert await world.say("four", "Cleo") == [EVERYBODYS]
    assert caplog.text.count("lets all spend today is used up: 220 tokens, $1.2000") == 1


@pytest.mark.parametrize("which", ["tokens_a_day", "tokens_a_day_for_all", "dollars_a_day_for_all"])
async def test_zero_is_nothing_and_none_is_no_limit(tmp_path: Path, which: str) -> None:
    (tmp_path / "zero").mkdir()
    llm = ScriptedLLM()
    async with a_world(tmp_path / "zero", llm, settings=limited(**{which: 0})) as world:
        assert await world.say("hello") == [NOTHING_AT_ALL]
        assert await world.say("/help") != [NOTHING_AT_ALL]
    assert llm.prompts == []
    async with a_world(tmp_path, ScriptedLLM(dear), settings=limited(**{which: "none"})) as world:
        for _ in range(5):
            assert await world.say("hello") == ["Hi"]


class App:
    """A chat platform on which people have to behave."""

    def __init__(self, world: World, users: range) -> None:
        self.world = world
        self.read: list[tuple[str, str]] = []
        self.heard = asyncio.Event()
        """Set once the last of them has read something."""
        self._last = str(users[-1])
        world.companion.people.allow(APP, users)
        world.companion.deliver(APP, self._hear)

    async def _hear(self, message: OutgoingMessage) -> None:
        self.read.append((message.address.chat, message.text))
        if message.address.chat == self._last:
            self.heard.set()

    async def writes(self, user: int, text: str, number: int) -> None:
        event = MessageReceived(
            id=f"{user}/{number}",
            address=Address(platform=APP, chat=str(user)),
            sender=Sender(user=str(user), name=f"N{user}"),
            at=self.world.clock.now(),
            text=text,
        )
        await self.world.companion.handle(event)

    def texts(self, user: int) -> list[str]:
        return [text for chat, text in self.read if chat == str(user)]


async def test_a_thousand_messages_in_a_minute_cost_few_answers_and_no_other_person_notices(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(lambda _: sends("Hi"))
    many = 1000
    async with a_world(tmp_path, llm, settings=limited()) as world:
        app = App(world, range(1, 3))
        await asyncio.gather(*(app.writes(1, f"spam {n}", n) for n in range(many)))
        await app.writes(2, "hello", 0)
        await app.heard.wait()
        assert len(app.texts(1)) < many / 10
        await world.companion.quiet()
        assert app.texts(2) == ["Hi"]
        assert app.texts(1) == ["Hi"] * 20 + [TOO_FAST]
        kept = await world.rows("SELECT COUNT(*) FROM message WHERE said LIKE 'spam %'")
        assert kept == [(many,)]
        world.clock.advance(timedelta(minutes=1))
        await app.writes(1, "sorry", many)
        await world.companion.quiet()
        assert app.texts(1)[-1] == "Hi"


async def test_zero_messages_a_minute_are_none(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=limited(messages_a_minute=0)) as world:
        app = App(world, range(1, 2))
        await app.writes(1, "hello", 0)
        await world.companion.quiet()
        assert app.texts(1) == [TOO_FAST]
    assert llm.prompts == []


async def test_who_is_shut_out_in_the_middle_of_a_turn_hears_nothing_more(tmp_path: Path) -> None:
    worlds: list[World] = []

    class Revoking(ScriptedLLM):
        async def complete(self, *asked: Any, **more: Any) -> Reply:
            db, now = worlds[0].db, worlds[0].clock.now()
            await db.write(lambda tx: access.revoke(tx, 1, APP, "1", now))
            return await super().complete(*asked, **more)

    llm = Revoking(busy)
    async with a_world(tmp_path, llm, settings=limited()) as world:
        worlds.append(world)
        app = App(world, range(1, 2))
        await app.writes(1, "look", 0)
        await world.companion.quiet()
        assert app.texts(1) == []
        assert len(llm.prompts) == 1


async def test_new_people_wait_behind_old_ones_but_not_for_ever() -> None:
    turns = Turns(1)
    order: list[str] = []
    first = asyncio.Event()

    async def turn(name: str, *, new: bool = False) -> None:
        async with turns.turn(new=new):
            order.append(name)
            await first.wait()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(turn("begins"))
        tasks.create_task(turn("new", new=True))
        for number in range(BEHIND + 5):
            tasks.create_task(turn(f"old {number}"))
        await asyncio.sleep(0)
        first.set()
    assert order.index("new") == BEHIND + 1
    assert order[1] == "old 0"


async def test_a_turn_that_is_cancelled_while_it_waits_leaves_its_place_to_the_next() -> None:
    turns = Turns(1)
    async with turns.turn(new=False):
        waiting = [asyncio.create_task(_enter(turns)) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
    await asyncio.wait(waiting)
    assert waiting[1].result() == "ran"
    assert not turns.full


async def _enter(turns: Turns) -> str:
    async with turns.turn(new=False):
        return "ran"
