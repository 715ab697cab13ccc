"""An event that is given up because of a fault of ours."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from companion.events import OutgoingMessage
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.turns.worker import FAILED
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import PLATFORM, a_world


async def test_what_was_said_is_in_recall_storage_though_it_was_given_up(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(RuntimeError("a bug"))) as world:
        assert await world.say("The cello is at Ruth's.") == [FAILED]
        found = await (await world.memory()).search_messages("cello")
        assert [hit.said for hit in found.items] == ["The cello is at Ruth's."]


async def test_the_next_turn_sees_what_was_given_up(tmp_path: Path) -> None:
    llm = ScriptedLLM(RuntimeError("a bug"), sends("At Ruth's?"))
    async with a_world(tmp_path, llm) as world:
        await world.say("The cello is at Ruth's.")
        assert await world.say("So, where is it?") == ["At Ruth's?"]
    assert [message.text.rpartition(": ")[2] for message in llm.prompts[1][1:-1]] == [
        "The cello is at Ruth's.",
        "So, where is it?",
    ]


async def test_it_is_kept_once_when_it_failed_after_its_first_step(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Wait.", request_heartbeat=True), RuntimeError("a bug"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Wait.", FAILED]
        assert await world.rows("SELECT COUNT(*) FROM message WHERE kind = 'event'") == [(1,)]


class Leaking:
    """A model whose answer makes the program fail with the person's words in the error."""

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        TypeAdapter(dict[str, int]).validate_python({"said": messages[-2].text})
        raise AssertionError

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL])
async def test_what_people_wrote_is_in_no_log_line_and_in_no_error_that_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, level: int
) -> None:
    caplog.set_level(level)
    async with a_world(tmp_path, Leaking()) as world:
        assert await world.say("My canary is yellow.") == [FAILED]
        ((error,),) = await world.rows("SELECT error FROM inbox")
    assert str(error).startswith("ValidationError at companion/turns/worker.py:")
    assert "companion/turns/agent.py:" in str(error)
    assert "canary" not in str(error) + caplog.text


async def test_what_an_adapter_fails_with_is_in_no_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def send(message: OutgoingMessage) -> None:
        raise KeyError(message.text)

    caplog.set_level(logging.INFO)
    async with a_world(tmp_path, ScriptedLLM(sends("A canary!")), deliver=False) as world:
        world.companion.deliver(PLATFORM, send)
        await world.say("Hi")
        assert await world.rows("SELECT error FROM outbox") == [("KeyError in the adapter",)]
    assert "made its adapter fail: KeyError at " in caplog.text
    assert "companion/deliveries.py:" in caplog.text
    assert "canary" not in caplog.text
