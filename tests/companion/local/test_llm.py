import json
import os
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.errors import LLMUnavailableError
from companion.llm.protocol import Message
from companion.local.llm import LocalLLM
from companion.local.server import LocalServer
from tests.support.tiny_gguf import write_tiny_model

HELLO = [Message("user", "hello")]
SCHEMA = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}


@pytest.fixture
def server(tmp_path: Path) -> LocalServer:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    return LocalServer(model, window_tokens=512, threads=1, log=tmp_path / "log", first_back_off=0)


@pytest.fixture
async def llm(server: LocalServer) -> AsyncIterator[LocalLLM]:
    llm = LocalLLM(server, SystemClock(), random.Random(1))
    yield llm
    await llm.close()


async def test_nothing_runs_before_it_is_asked(server: LocalServer, llm: LocalLLM) -> None:
    assert not server.running
    reply = await llm.complete(HELLO, answer_tokens=8)
    assert reply.text
    assert reply.model == "tiny"
    assert server.running


async def test_an_answer_can_be_held_to_a_schema(llm: LocalLLM) -> None:
    reply = await llm.complete_json(HELLO, SCHEMA, answer_tokens=400)
    assert isinstance(json.loads(reply.text)["a"], bool)


async def test_a_fall_between_two_questions_is_not_noticed(
    server: LocalServer, llm: LocalLLM
) -> None:
    await llm.complete(HELLO, answer_tokens=8)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    assert (await llm.complete(HELLO, answer_tokens=8)).text


async def test_a_model_that_was_not_pulled_says_how_to(tmp_path: Path) -> None:
    server = LocalServer(tmp_path / "gone.gguf", window_tokens=512, log=tmp_path / "log")
    llm = LocalLLM(server, SystemClock(), random.Random(1))
    with pytest.raises(LLMUnavailableError, match="companion model pull gone") as told:
        await llm.complete(HELLO, answer_tokens=8)
    assert told.value.permanent
