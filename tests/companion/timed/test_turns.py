"""Timed events as turns: what is promised arrives, anything else may not, and nobody hears of
failures that they were not waiting for."""

from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path

import pytest

from companion.errors import LLMError, LLMRefusedError, LLMUnavailableError, OutOfReachError
from companion.events import Address, OutgoingMessage
from companion.storage import access, schedule
from companion.storage.database import Tx
from companion.timed.firing import claim
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.timers import again_and_again, as_it_is, became, in_a_while, place
from tests.support.world import PLATFORM, World, a_world

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

silence = calls(("stay_silent", {"reason": "no need"}))


async def test_silence_is_a_function_and_no_word(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), silence)) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="check_in")
        assert await world.pass_time(HOUR) == []
        assert await became(world, one) == [("fired", "")]
        assert await world.rows("SELECT COUNT(*) FROM inbox WHERE state <> 'done'") == [(0,)]


async def test_a_reminder_that_the_model_is_silent_on_arrives_in_its_own_words(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), lambda _: silence)) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR) == ["⏰ call the dentist"]


@pytest.mark.parametrize(
    "failure", [LLMUnavailableError("down"), LLMRefusedError("no"), RuntimeError("a fault")]
)
async def test_a_reminder_arrives_when_no_model_answers(tmp_path: Path, failure: Exception) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), failure, sends("Yes"))) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR) == ["⏰ call the dentist"]
        assert await world.say("thanks") == ["Yes"]


@pytest.mark.parametrize("failure", [LLMUnavailableError("down"), RuntimeError("a fault")])
async def test_a_late_one_without_a_model_says_when_it_was_due(
    tmp_path: Path, failure: Exception
) -> None:
    llm = ScriptedLLM(sends("Hi"), failure)
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(3 * HOUR) == [
            "⏰ call the dentist\n(this was due at Mon 5 May 2025 13:00 UTC)"
        ]


@pytest.mark.parametrize(
    ("said", "arrives"),
    [
        ("Dentists don't call themselves!", "Dentists don't call themselves!"),
        ("Sure, I'll do that.", "Sure, I'll do that.\n⏰ call the dentist"),
        ("好的，没问题", "好的，没问题\n⏰ call the dentist"),
    ],
)
async def test_a_reminder_reworded_into_something_else_comes_with_its_own_words(
    tmp_path: Path, said: str, arrives: str
) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), sends(said))) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR) == [arrives]


async def test_a_model_that_tells_the_time_itself_is_believed(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"), sends("It was due at 13:00: call the dentist!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(3 * HOUR) == ["It was due at 13:00: call the dentist!"]


@pytest.mark.parametrize("failure", [LLMUnavailableError("down"), LLMRefusedError("no")])
async def test_of_a_check_in_that_no_model_answers_nobody_hears(
    tmp_path: Path, failure: LLMError
) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), failure, lambda _: failure)) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="check_in")
        assert await world.pass_time(HOUR) == []
        world.clock.advance(7 * HOUR)
        assert "I can't" in (await world.say("are you there?"))[0]  # it is this that fails now
        outcomes = [outcome for outcome, _ in await became(world, one)]
        assert outcomes[0] == "fired"
        assert len(world.delivered) == 2


async def test_a_check_in_whose_model_comes_back_too_late_is_left_out(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"), LLMUnavailableError("down"), lambda _: sends("Here I am"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="check_in")
        await world.pass_time(HOUR)
        world.clock.advance(7 * HOUR)
        assert await world.say("are you there?") == ["Here I am"]
        assert [outcome for outcome, _ in await became(world, one)] == ["fired", "gated"]


async def test_a_check_in_that_waited_into_quiet_hours_is_left_out(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"), LLMUnavailableError("down"), lambda _: sends("Here I am"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="check_in")
        await world.pass_time(HOUR)
        await world.say("/quiet 12:30-15:00")
        assert await world.say("are you there?") == ["Here I am"]
        ((_, _), (outcome, reason)) = await became(world, one)
        assert (outcome, reason) == ("gated", "quiet hours 12:30-15:00")


async def test_what_is_cancelled_while_the_lane_is_busy_does_not_come(tmp_path: Path) -> None:
    llm = ScriptedLLM(LLMUnavailableError("down"), lambda _: sends("Hi"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")  # waits for a model
        one = await again_and_again(world, time(13))
        world.clock.advance(HOUR)
        await world.firing.fire_due()
        await world.db.write(lambda tx: schedule.cancel(tx, one.person, one.id))
        await world.say("hi again")
        assert [text for _, text in world.delivered if "stretch" in text] == []
        assert ("gated", "cancelled") in await became(world, one)


async def test_whoever_is_shut_out_gets_nothing(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"))) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        now = world.clock.now()
        await world.db.write(lambda tx: access.revoke(tx, one.person, PLATFORM, "Anna", now))
        assert await world.pass_time(HOUR) == []
        assert await became(world, one) == [("gated", "shut out")]


async def test_a_chat_that_is_anothers_now_hears_of_nothing(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: sends("Hi"))) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        await world.happens(replace(world.message("hi all"), address=public(world)))
        before = len(world.delivered)
        assert await world.pass_time(HOUR) == []
        assert len(world.delivered) == before
        assert await became(world, one) == [("gated", "shut out")]


def public(world: World) -> Address:
    """Anna's chat, when others have come into it."""
    return replace(world.address("Anna"), private=False)


async def test_an_erased_persons_reminders_are_gone(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: sends("Hi"))) as world:
        await world.say("hi", "Anna")
        await world.say("hi", "Ben")
        await in_a_while(world, HOUR, name="Anna")
        await in_a_while(world, HOUR, name="Ben")
        await world.pass_time(HOUR)
        await in_a_while(world, HOUR, name="Anna")
        await in_a_while(world, HOUR, name="Ben")
        await world.say("/erase yes everything", "Anna")
        (left,) = await world.rows("SELECT COUNT(*) FROM schedule")
        assert left == (2,)
        before = len(world.delivered)
        await world.pass_time(HOUR)
        assert [to for to, _ in world.delivered[before:]] == ["Ben"]


async def test_what_did_not_get_through_comes_when_they_are_back(tmp_path: Path) -> None:
    blocked = False
    heard: list[str] = []

    async def send(message: OutgoingMessage) -> None:
        if blocked:
            raise OutOfReachError("blocked by the user")
        heard.append(message.text)

    llm = ScriptedLLM(lambda messages: sends(messages[-2].text.rpartition(") ")[2][-20:]))
    async with a_world(tmp_path, llm, deliver=False) as world:
        world.companion.deliver(PLATFORM, send)
        await world.say("hi")
        await in_a_while(world, HOUR, "first")
        await in_a_while(world, 2 * HOUR, "second")
        await in_a_while(world, 2 * HOUR, "how it is", purpose="check_in")
        blocked = True
        await world.pass_time(HOUR)
        await world.pass_time(HOUR)
        assert len(heard) == 1
        blocked = False
        await world.say("back again")
        for _ in range(4):
            await world.pass_time(timedelta(minutes=1))
    assert [text.partition("\n")[0] for text in heard[2:]] == ["first", "second", "how it is"]


async def test_an_opener_that_may_have_arrived_is_not_repeated_and_a_reminder_is_once(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: sends("Hi"))) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        await in_a_while(world, 2 * HOUR, purpose="check_in")
        await world.pass_time(HOUR)
        await world.pass_time(HOUR)
        rows = await world.rows("SELECT in_reply, expires_at IS NULL FROM outbox ORDER BY id")
    assert rows[1:] == [(1, 1), (0, 0)]


async def test_what_was_said_and_not_sent_in_time_is_not_sent(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _: sends("Hi"))
    async with a_world(tmp_path, llm, deliver=False) as world:
        await world.companion.handle(world.message("hi"))
        await world.companion.quiet()
        await in_a_while(world, HOUR)
        await in_a_while(world, HOUR, purpose="check_in")
        await world.pass_time(HOUR)
        world.clock.advance(7 * HOUR)
    async with a_world(tmp_path, llm, clock=world.clock) as after:
        await after.companion.quiet()
        assert len(after.delivered) == 2  # the answer and the reminder
        states = await after.rows("SELECT state, error FROM outbox ORDER BY id")
    assert states[-1] == ("refused", "it comes too late")


async def test_a_timed_event_that_was_cut_off_has_its_turn_once_after_the_start(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("Hi"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        world.clock.advance(HOUR)
        purposes = world.firing._purposes
        now = world.clock.now()

        def claim_only(tx: Tx) -> int:
            return len(claim(tx, purposes, now))

        assert await world.db.write(claim_only) == 1  # and then it is killed
    llm.will(sends("Call!"))
    async with a_world(tmp_path, llm, clock=world.clock) as after:
        await after.companion.quiet()
        assert [text for _, text in after.delivered] == ["Call!"]
        assert await after.pass_time(HOUR) == []
        assert (await as_it_is(after, one)).state == "done"


async def test_a_timed_event_is_no_message_of_the_persons(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: says("Call!"))) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR) == ["Call!"]
        where = await place(world)
        rows = await world.rows(
            "SELECT speaker, said FROM message WHERE kind = 'event' ORDER BY id"
        )
        assert rows == [("Anna", "hi"), ("", "")]
        assert where.person == 1


async def test_who_writes_after_days_is_said_to_have_been_away(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _: sends("Hi"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        world.clock.advance(2 * DAY)
        await world.say("hi again")
        assert "] Anna: hi again" in llm.prompts[-1][-2].text
        await in_a_while(world, HOUR)
        await world.pass_time(HOUR)
        world.clock.advance(12 * DAY)
        await world.say("hello")
        assert "] Anna (after 12 days): hello" in llm.prompts[-1][-2].text
