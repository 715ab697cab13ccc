"""A turn that no model answers is tried again."""

from datetime import timedelta
from pathlib import Path

from companion.errors import LLMUnavailableError
from companion.events import Address, HeldUp
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import PLATFORM, World, a_world

DOWN = LLMUnavailableError("qwen at http://127.0.0.1/v1: it had an error of its own.")
MINUTE = timedelta(minutes=1)


def held_up_in(world: World) -> list[HeldUp]:
    """What is told of answers that are held up, from now on."""
    told: list[HeldUp] = []

    def show(address: Address, held_up: HeldUp) -> None:
        assert address == world.address("Anna")
        told.append(held_up)

    world.companion.held_up(PLATFORM, show)
    return told


async def test_who_runs_it_hears_the_cause_and_when_it_is_tried_again(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(DOWN)) as world:
        told = held_up_in(world)
        await world.say("Hello")
    assert told == [HeldUp(cause=str(DOWN), again=MINUTE)]


async def test_who_writes_again_and_again_does_not_lengthen_the_wait(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(*[DOWN] * 6)) as world:
        told = held_up_in(world)
        for _ in range(6):
            await world.say("Are you there?")
    assert [one.again for one in told] == [MINUTE] * 6


async def test_the_longer_it_fails_the_longer_is_the_wait(tmp_path: Path) -> None:
    waits = []
    async with a_world(tmp_path, ScriptedLLM(*[DOWN] * 8)) as world:
        told = held_up_in(world)
        for _ in range(8):
            await world.say("Are you there?")
            waits.append(told[-1].again // MINUTE)
            world.clock.advance(told[-1].again)
    assert waits == [1, 1, 2, 5, 15, 60, 60, 60]


async def test_after_a_start_the_wait_is_short_again(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(*[DOWN] * 6)) as world:
        for _ in range(6):
            await world.say("Are you there?")
    async with a_world(tmp_path, ScriptedLLM(*[DOWN] * 2)) as world:
        told = held_up_in(world)
        await world.say("And now?")
    assert told[-1].again == MINUTE


async def test_a_message_behind_one_that_fails_is_unanswered_for_the_same_cause(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(DOWN, DOWN, sends("Yes."))) as world:
        await world.say("Hello")
        await world.say("Are you there?")
        assert await world.companion.why_unanswered(PLATFORM, "Anna") == str(DOWN)
        await world.say("And now?")
        assert await world.companion.why_unanswered(PLATFORM, "Anna") is None
