import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from companion.bench.at_server import cpu_of, seen
from companion.bench.server import PRESSURE
from companion.bench.turn import scripted_server

TOOLS = [{"type": "function", "function": {"name": "send_message", "parameters": {}}}]
HI = {"role": "user", "content": "hi"}


class Model:
    """Asks the scripted server and gives the names of the functions that it calls."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sdk = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)

    async def asked(self, *messages: dict[str, Any], tools: bool = True) -> ChatCompletion:
        body = {"tools": TOOLS, "messages": messages} if tools else {"messages": messages}
        raw = json.dumps(body, separators=(",", ":")).encode()
        return await self.sdk.post("/chat/completions", content=raw, cast_to=ChatCompletion)

    async def calls(self, *messages: dict[str, Any]) -> list[str]:
        message = (await self.asked(*messages)).choices[0].message
        return [call.function.name for call in message.tool_calls or () if call.type == "function"]


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    with scripted_server(edit_every=3) as (url, _):
        model = Model(url)
        yield model
        await model.sdk.close()


async def test_it_answers_and_now_and_then_keeps_a_fact(model: Model) -> None:
    called = [await model.calls(HI) for _ in range(3)]
    assert called == [
        ["send_message"],
        ["send_message"],
        ["send_message", "working_context_append"],
    ]


async def test_without_functions_it_summarises(model: Model) -> None:
    completion = await model.asked(HI, tools=False)
    assert completion.choices[0].message.content
    assert completion.choices[0].finish_reason == "stop"


async def test_an_alert_is_answered_once_with_a_fact_alone(model: Model) -> None:
    alert = {"role": "user", "content": PRESSURE.decode()}
    result = {"role": "tool", "tool_call_id": "c", "content": "Appended."}
    assert await model.calls(HI, alert) == ["working_context_append"]
    assert await model.calls(HI, alert, result, HI) == ["send_message"]


async def test_it_tells_what_it_was_asked_and_what_that_cost(model: Model) -> None:
    await model.asked(HI)
    await model.asked(HI, tools=False)
    first, second = seen(model.url)
    assert json.loads(first) == {"tools": TOOLS, "messages": [HI]}
    assert b"tools" not in second
    assert seen(model.url) == []
    assert cpu_of(model.url) > 0
