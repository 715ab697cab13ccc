"""What was dealt with long ago leaves the journal, and nothing that is needed goes with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from companion.events import MessageDeleted, MessageEdited, MessageReceived
from companion.pruning import AT_A_TIME, KEPT, Pruning
from tests.companion.test_app import message, opened, settings
from tests.support.model_server import ModelServer
from tests.support.model_server import says as answers
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

LATER = KEPT + timedelta(days=1)
WORDS = "SELECT {} FROM {} WHERE {} LIKE '%canary%' OR {} LIKE '%parrot%'"


async def journal(world: World) -> dict[str, int]:
    """In how many rows of each table the canary or the parrot is spoken of."""
    columns = {
        "inbox": "body",
        "step": "reply",
        "tool_done": "result",
        "outbox": "text",
        "message": "said",
    }
    found = {}
    for table, column in columns.items():
        rows = await world.rows(WORDS.format("COUNT(*)", table, column, column))
        assert isinstance(rows[0][0], int)
        found[table] = rows[0][0]
    return found


async def prune(world: World) -> None:
    async def at_once(_seconds: float) -> None:
        pass

    await Pruning(world.db, world.clock, sleep=at_once).run_once()


@asynccontextmanager
async def after_a_talk(folder: Path) -> AsyncIterator[tuple[World, MessageReceived]]:
    """A world in which something was said long ago, and the message that it was."""
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Anna has a canary."}),
            ("conversation_search", {"query": "canary", "request_heartbeat": True}),
        ),
        sends("And a parrot?"),
        sends("Hm."),
        sends("Ah."),
        sends("Well."),
    )
    async with a_world(folder, llm) as world:
        said = replace(world.message("I have a canary."), message="77")
        await world.happens(said)
        world.clock.advance(LATER)
        yield world, said


def edited(world: World, said: MessageReceived, which: str) -> MessageEdited:
    return MessageEdited(
        id="e1",
        address=said.address,
        sender=said.sender,
        at=world.clock.now(),
        message=which,
        text="It sings loudly.",
    )


async def test_what_was_said_long_ago_stands_in_recall_storage_alone(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, _said):
        before = await journal(world)
        assert min(before.values()) > 0
        await prune(world)
        assert await journal(world) == {
            "inbox": 0,
            "step": 0,
            "tool_done": 0,
            "outbox": 0,
            "message": before["message"],
        }
        found = await (await world.memory()).search_messages("canary parrot")
        assert {hit.said for hit in found.items} == {"I have a canary.", "And a parrot?"}


async def test_what_is_recent_stays_for_the_operator(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, _said):
        await world.say("It is a yellow canary.")
        await prune(world)
        left = await journal(world)
        assert left["inbox"] == 1
        assert await world.rows("SELECT COUNT(*) FROM step") == [(1,)]


async def test_what_comes_again_after_that_is_still_known(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, said):
        await prune(world)
        assert await world.happens(said) == []


async def test_an_edit_of_what_was_answered_long_ago_is_no_new_message(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, said):
        await world.happens(replace(world.message("It sings."), message="78"))
        world.clock.advance(LATER)
        await prune(world)
        assert await world.happens(edited(world, said, "78")) == []


async def test_an_edit_of_a_command_of_long_ago_runs_nothing(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, said):
        command = replace(world.message("/remember the canary"), message="78")
        await world.happens(command)
        world.clock.advance(LATER)
        await prune(world)
        assert await world.rows("SELECT body ->> '$.text' FROM inbox ORDER BY id DESC LIMIT 1") == [
            ("/remember",)
        ]
        assert await world.happens(edited(world, said, "78")) == []


async def test_a_deletion_of_what_was_said_long_ago_reaches_recall_storage(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, said):
        await prune(world)
        gone = MessageDeleted(
            id="d1", address=said.address, sender=said.sender, at=world.clock.now(), message="77"
        )
        await world.happens(gone)
        found = await (await world.memory()).search_messages("canary")
        assert "I have a canary." not in {hit.said for hit in found.items}


async def test_what_a_platform_asks_for_by_its_id_is_still_found(tmp_path: Path) -> None:
    async with after_a_talk(tmp_path) as (world, said):
        await prune(world)
        known = await world.companion.platforms.event(said.address.platform, said.id)
        assert known == replace(said, text="")


async def test_what_is_not_delivered_or_not_answered_is_not_touched(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("A parrot!")), deliver=False) as world:
        await world.say("I have a canary.")
    clock = VirtualClock(world.clock.now() + LATER)
    async with a_world(tmp_path, ScriptedLLM(), deliver=False, clock=clock) as world:
        await world.db.write(lambda tx: tx.execute("UPDATE inbox SET state = 'waiting'"))
        before = await journal(world)
        await prune(world)
        assert await journal(world) == before
        await world.db.write(lambda tx: tx.execute("UPDATE inbox SET state = 'done'"))
        await prune(world)
        assert (await journal(world))["outbox"] == 1


async def test_what_was_given_up_is_kept_for_the_operator(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(RuntimeError("a bug"))) as world:
        await world.say("I have a canary.")
        world.clock.advance(LATER)
        await prune(world)
        assert (await journal(world))["inbox"] == 1


async def test_a_stop_between_two_transactions_is_gone_on_from(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    async def stop(_seconds: float) -> None:
        raise StoppedError

    llm = ScriptedLLM(lambda _messages: sends("Yes."))
    async with a_world(tmp_path, llm) as world:
        for number in range(AT_A_TIME + 3):
            await world.say(f"canary {number}")
        world.clock.advance(LATER)
        with pytest.raises(StoppedError):
            await Pruning(world.db, world.clock, sleep=stop).run_once()
        assert (await journal(world))["inbox"] == 3
    async with a_world(tmp_path, llm, clock=VirtualClock(world.clock.now())) as world:
        await prune(world)
        assert (await journal(world))["inbox"] == 0
        assert await world.rows("SELECT COUNT(*) FROM step") == [(0,)]


async def test_a_running_companion_prunes_by_itself(tmp_path: Path) -> None:
    clock = VirtualClock(message("", "0").at)
    async with ModelServer([answers("One."), answers("Two."), answers("Three.")]) as server:
        for number in range(3):  # the last start looks at what the one before it has done
            async with opened(
                tmp_path, settings=settings(server), environ={}, clock=clock
            ) as companion:
                heard = await companion.answer(message(f"canary {number}", str(number)))
                assert len(heard) == 1
                found = await companion.platforms.event("test", "0")
                assert isinstance(found, MessageReceived)
                assert found.text == ("" if number else "canary 0")
            clock.advance(LATER)


async def test_pruning_comes_again_every_day(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Yes."))) as world:
        await world.say("canary")
        days: list[float] = []

        async def a_day(seconds: float) -> None:
            days.append(seconds)
            world.clock.advance(timedelta(seconds=seconds))
            if len(days) == LATER.days + 1:
                raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await Pruning(world.db, world.clock, sleep=a_day).run()
        assert (await journal(world))["inbox"] == 0
        assert set(days) == {86400.0}
