"""No model answers, or each refuses: what is said is kept, and answered later."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.errors import LLMRefusedError, LLMUnavailableError
from companion.llm.protocol import Message, Reply
from companion.turns.worker import ATTEMPTS, BROKEN, FAILED, GIVE_UP_AFTER, LATER, REFUSED
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world


async def test_an_unreachable_model_is_owned_up_to_once_and_the_message_is_answered_later(
    tmp_path: Path,
) -> None:
    away = LLMUnavailableError("down")
    llm = ScriptedLLM(away, away, sends("Here I am."), sends("Hello!"), sends("Yes!"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Are you there?") == [LATER]
        assert await world.say("Hello?") == []
        assert await world.say("Hello??") == ["Here I am.", "Hello!", "Yes!"]


async def test_a_command_is_answered_while_no_model_is(tmp_path: Path) -> None:
    away = LLMUnavailableError("down")
    llm = ScriptedLLM(away, away, away, sends("Here I am."), sends("Yes."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Are you there?") == [LATER]
        assert await world.say("/remember I asked.") == ["Saved."]
        assert "I asked." in (await world.say("/memory"))[0]
        assert await world.say("Hello?") == ["Here I am.", "Yes."]


async def test_what_no_model_has_answered_yet_is_kept_and_findable(tmp_path: Path) -> None:
    llm = ScriptedLLM(LLMUnavailableError("down"))
    async with a_world(tmp_path, llm) as world:
        await world.say("The cello is at Ruth's.")
        assert await world.rows(
            "SELECT state, said FROM inbox JOIN message ON event_id = inbox.id"
        ) == [("begun", "The cello is at Ruth's.")]
        found = await (await world.memory()).search_messages("cello")
        assert [hit.said for hit in found.items] == ["The cello is at Ruth's."]


async def test_a_message_is_stored_before_the_answer_to_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!"))) as world:
        await world.say("Hi")
        assert await world.rows("SELECT kind FROM message ORDER BY id") == [
            ("event",),
            ("answer",),
            ("result",),
        ]


async def test_a_model_that_only_the_operator_can_mend_is_said_so(tmp_path: Path) -> None:
    llm = ScriptedLLM(LLMUnavailableError("wrong key", permanent=True))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == [BROKEN]


async def test_a_refused_message_does_not_block_the_next(tmp_path: Path) -> None:
    llm = ScriptedLLM(LLMRefusedError("content filter"), sends("Better."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("something") == [REFUSED]
        assert await world.say("something else") == ["Better."]


async def test_what_every_model_refuses_is_left_out_of_later_prompts_and_stays_findable(
    tmp_path: Path,
) -> None:
    def filtered(messages: Sequence[Message]) -> Reply:
        if any("something awful" in message.text for message in messages):
            raise LLMRefusedError("content filter")
        return sends("Fine.")

    async with a_world(tmp_path, ScriptedLLM(filtered)) as world:
        assert await world.say("something awful") == [REFUSED]
        assert await world.say("How are you?") == ["Fine."]
        found = await (await world.memory()).search_messages("awful")
        assert [hit.said for hit in found.items] == ["something awful"]


async def test_writing_again_and_again_uses_up_no_patience_with_an_unreachable_model(
    tmp_path: Path,
) -> None:
    def down(_messages: Sequence[Message]) -> Reply:
        raise LLMUnavailableError("down")

    async with a_world(tmp_path, ScriptedLLM(down)) as world:
        for number in range(ATTEMPTS + 5):
            await world.say(f"message {number}")
        assert await world.rows("SELECT COUNT(*) FROM inbox WHERE state = 'dead'") == [(0,)]
        world.clock.advance(GIVE_UP_AFTER)
        assert FAILED in await world.say("Still nothing?")


async def test_a_fault_of_ours_ends_in_a_sentence_and_the_next_message_is_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    llm = ScriptedLLM(RuntimeError("a bug"), sends("Fine again."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == [FAILED]
        assert await world.say("Hi again") == ["Fine again."]
        ((state, error),) = await world.rows("SELECT state, error FROM inbox WHERE id = 1")
    assert state == "dead"
    assert str(error).startswith("RuntimeError at companion/turns/worker.py:")
    assert str(error) in caplog.text


async def test_a_model_that_fails_after_it_has_answered_is_not_held_against_the_turn(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("Hello!", request_heartbeat=True), LLMUnavailableError("down"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hello!"]
        assert await world.rows("SELECT state FROM inbox") == [("done",)]
