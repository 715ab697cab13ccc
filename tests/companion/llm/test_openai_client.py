import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from companion.llm.abilities import Abilities
from companion.llm.answer import Prices
from companion.llm.faults import EndpointError, Fault
from companion.llm.openai_client import Endpoint, OpenAIClient
from companion.llm.protocol import Call, Message, ToolSchema, Usage
from companion.storage.database import Database
from companion.storage.endpoints import KEPT_FOR, EndpointStore
from tests.support.model_server import (
    Completion,
    Cut,
    Drip,
    Hang,
    ModelServer,
    Raw,
    calls,
    fails,
    says,
)
from tests.support.virtual_clock import VirtualClock

HI = [Message("system", "You are kind."), Message("user", "Hi")]
SEND = ToolSchema(
    "send_message",
    "Say something to the person.",
    {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": False,
    },
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EndpointStore]:
    database = await Database.open(tmp_path / "companion.db")
    yield EndpointStore(database, VirtualClock())
    await database.close()


def client(
    server: ModelServer,
    store: EndpointStore | None = None,
    *,
    model: str | None = "m",
    timeout: float = 20,
    prices: Prices | None = None,
) -> OpenAIClient:
    endpoint = Endpoint(
        model=model,
        base_url=server.base_url,
        api_key=SecretStr("sk-secret"),
        timeout=timeout,
        prices=prices or Prices(),
    )
    return OpenAIClient(endpoint, store)


async def fault(asked: OpenAIClient) -> EndpointError:
    with pytest.raises(EndpointError) as raised:
        await asked.complete(HI, [SEND], answer_tokens=64)
    await asked.close()
    return raised.value


async def test_a_call_comes_back_with_what_it_cost() -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }
    answer = replace(calls(send_message={"message": "上海 😀"}), usage=usage)
    async with ModelServer([answer]) as server:
        model = client(server, prices=Prices(prompt=1.0, cached=0.5, completion=2.0))
        reply = await model.complete(HI, [SEND], answer_tokens=64)
        await model.close()
    assert reply.calls == (Call("call_2_0", "send_message", '{"message": "上海 😀"}'),)
    assert (reply.finish, reply.model, reply.text) == ("calls", "m", "")
    assert replace(reply.usage, cost=0.0) == Usage(1_000_000, 400_000, 50)
    assert reply.usage.cost == pytest.approx(0.8001)


async def test_deepseek_names_its_cached_tokens_in_another_way() -> None:
    usage = {"prompt_tokens": 100, "prompt_cache_hit_tokens": 90, "completion_tokens": 1}
    async with ModelServer([replace(says("hi"), usage=usage)]) as server:
        model = client(server)
        reply = await model.complete(HI, answer_tokens=64)
        await model.close()
    assert reply.usage == Usage(100, 90, 1)


async def test_the_prompt_goes_out_as_written_and_the_same_each_time() -> None:
    prompt = [
        *HI,
        Message("assistant", "", (Call("c1", "send_message", '{"message": "你好"}'),)),
        Message("tool", "Sent.", call_id="c1"),
        Message("user", "día 🎈"),
    ]
    async with ModelServer([says("a"), says("b")]) as server:
        model = client(server)
        await model.complete(prompt, [SEND], answer_tokens=64)
        await model.complete([*prompt, Message("assistant", "a")], [SEND], answer_tokens=64)
        await model.close()
        first, second = server.bodies
        asked = server.requests[0]
        headers = server.headers[0]
    assert "día 🎈".encode() in first
    assert "你好".encode() in first
    head = first.index(b'],"max_')
    assert second.startswith(first[:head])
    assert second.endswith(first[head:])
    assert asked["messages"][2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "send_message", "arguments": '{"message": "你好"}'},
            }
        ],
    }
    assert asked["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "Sent."}
    assert asked["max_tokens"] == 64
    assert asked["tools"][0]["function"]["strict"] is True
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Bearer sk-secret"


async def test_half_an_emoji_in_a_prompt_stops_nothing() -> None:
    async with ModelServer([says("fine")]) as server:
        model = client(server)
        reply = await model.complete([Message("user", "\ud83d hi \ud83d\ude00")], answer_tokens=64)
        await model.close()
        sent = server.requests[0]["messages"][0]["content"]
    assert (reply.text, sent) == ("fine", "\N{REPLACEMENT CHARACTER} hi 😀")


@pytest.mark.parametrize(
    ("refused", "changed"),
    [
        ("strict", {"strict": False}),
        ("parallel_tool_calls", {"parallel": False}),
        ("max_tokens", {"limits": ("max_completion_tokens",)}),
        ("system", {"system": "never"}),
        ("same_role_twice", {"alternate": True}),
        ("tools", {"tools": False}),
        ("tools_vllm", {"tools": False}),
        ("tools_llamacpp", {"tools": False}),
        ("tools_openrouter", {"tools": False}),
    ],
)
async def test_what_a_server_refuses_is_left_out_at_once_and_for_good(
    refused: str, changed: dict[str, object], store: EndpointStore
) -> None:
    twice = [*HI, Message("user", "Still there?")]
    async with ModelServer([says("one"), says("two"), says("three")], refuses=[refused]) as server:
        model = client(server, store)
        assert (await model.complete(twice, [SEND], answer_tokens=64)).text == "one"
        assert (await model.complete(twice, [SEND], answer_tokens=64)).text == "two"
        await model.close()
        assert len(server.requests) == 3
        after_a_restart = client(server, store)
        assert (await after_a_restart.complete(twice, [SEND], answer_tokens=64)).text == "three"
        await after_a_restart.close()
        assert len(server.requests) == 4
        learned = await store.abilities(server.base_url, "m")
    assert learned == replace(Abilities(), **changed)  # type: ignore[arg-type]


async def test_a_server_that_refuses_nearly_everything_is_still_talked_to() -> None:
    refuses = [
        "tools_vllm",
        "strict",
        "parallel_tool_calls",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "system",
        "same_role_twice",
    ]
    answer = says('{"name": "send_message", "arguments": {"message": "hi"}}')
    prompt = [
        *HI,
        Message("assistant", "", (Call("c1", "send_message", '{"message": "Hello"}'),)),
        Message("tool", "Sent.", call_id="c1"),
        Message("user", "And now?"),
        Message("system", "It is Monday."),
    ]
    async with ModelServer([answer], refuses=refuses) as server:
        model = client(server)
        reply = await model.complete(prompt, [SEND], answer_tokens=64)
        await model.close()
        asked = server.requests[-1]
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("send_message", '{"message": "hi"}')
    ]
    assert reply.text == ""
    assert set(asked) == {"model", "messages"}
    assert [message["role"] for message in asked["messages"]] == ["user", "assistant", "user"]
    assert "Say something to the person." in asked["messages"][0]["content"]
    assert "Result of send_message: Sent." in asked["messages"][2]["content"]


async def test_without_tools_the_answer_is_held_to_a_schema_where_the_server_can() -> None:
    answer = says('{"calls": [{"name": "send_message", "arguments": {"message": "hi"}}]}')
    async with ModelServer([answer], refuses=["tools"]) as server:
        model = client(server)
        reply = await model.complete(HI, [SEND], answer_tokens=64)
        await model.close()
        held_to = server.requests[-1]["response_format"]["json_schema"]["schema"]
    assert reply.calls[0].name == "send_message"
    assert held_to["properties"]["calls"]["items"]["anyOf"][0]["properties"]["arguments"] == (
        SEND.parameters
    )


async def test_an_answer_can_be_asked_for_by_a_schema() -> None:
    schema = {"type": "object", "properties": {"facts": {"type": "array"}}}
    async with ModelServer([says('{"facts": []}')]) as server:
        model = client(server)
        reply = await model.complete_json(HI, schema, answer_tokens=64)
        await model.close()
        assert server.requests[0]["response_format"]["json_schema"]["schema"] == schema
    assert reply.text == '{"facts": []}'


async def test_what_was_learned_is_doubted_after_some_days(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "companion.db")
    clock = VirtualClock()
    store = EndpointStore(database, clock)
    await store.remember("http://x/v1", "m", Abilities(tools=False))
    clock.advance(KEPT_FOR - timedelta(minutes=1))
    assert await store.abilities("http://x/v1", "m") == Abilities(tools=False)
    clock.advance(timedelta(minutes=2))
    assert await store.abilities("http://x/v1", "m") is None
    await database.close()


async def test_with_no_model_named_the_first_that_can_chat_is_taken() -> None:
    async with ModelServer([says("hi")], models=["nomic-embed-text", "qwen3"]) as server:
        model = client(server, model=None)
        reply = await model.complete(HI, answer_tokens=64)
        await model.close()
        assert (reply.model, server.requests[0]["model"]) == ("qwen3", "qwen3")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (fails(429, "Rate limit reached"), Fault.RATE),
        (fails(429, "You exceeded your current quota: insufficient_quota"), Fault.QUOTA),
        (fails(402, "Insufficient Balance"), Fault.QUOTA),
        (fails(500), Fault.SERVER),
        (fails(502), Fault.SERVER),
        (fails(503), Fault.OVERLOADED),
        (fails(529), Fault.OVERLOADED),
        (fails(401, "Incorrect API key provided"), Fault.AUTH),
        (fails(403), Fault.AUTH),
        (fails(404, "The model `m` does not exist"), Fault.NOT_FOUND),
        (fails(400, "Model Not Exist"), Fault.NOT_FOUND),
        (fails(400, "messages: nobody knows why"), Fault.REFUSED),
        (fails(400, "content_filter"), Fault.FILTER),
        (Cut(), Fault.CONNECTION),
        (Raw(body=b"<html>Welcome to nginx</html>", content_type="text/html"), Fault.GARBLED),
        (Raw(body=b"\xff\xfe\x00garbage"), Fault.GARBLED),
        (Raw(body=b"[" * 100_000), Fault.GARBLED),
        (Raw(body=b'{"choices": []}'), Fault.GARBLED),
        (Raw(body=b'{"error": {"code": 429, "message": "slow down"}}'), Fault.RATE),
        (Raw(body=b"not gzip", headers={"Content-Encoding": "gzip"}), Fault.CONNECTION),
        (Completion(text=None), Fault.EMPTY),
        (Completion(text="  \n"), Fault.EMPTY),
        (Completion(text="<think>What to say?"), Fault.EMPTY),
        (Completion(text="", extra={"reasoning_content": "What to say?"}), Fault.EMPTY),
        (Completion(text=None, finish="length"), Fault.CUT_OFF),
        (Completion(text=None, finish="content_filter"), Fault.FILTER),
    ],
)
async def test_what_goes_wrong_is_told_apart(answer: Raw, expected: Fault) -> None:
    async with ModelServer(lambda _: answer) as server:
        error = await fault(client(server))
    assert error.fault is expected


@pytest.mark.parametrize("answer", [Hang(), Drip()])
async def test_a_slow_answer_is_waited_for_no_longer_than_was_said(answer: Hang | Drip) -> None:
    async with ModelServer([answer]) as server:
        model = client(server, timeout=0.2)
        model.warm()
        assert (await fault(model)).fault is Fault.TIMEOUT


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    server = ModelServer()
    await server.start()
    await server.stop()
    assert (await fault(client(server))).fault is Fault.CONNECTION


@pytest.mark.parametrize(
    ("wording", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages", 8192),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("The decoder prompt (length 5000) is longer than the maximum model length of 4096", 4096),
        (
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            32768,
        ),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested",
            131_072,
        ),
        ("the input length exceeds the context length", None),
        ("Your input exceeds the context window of this model", None),
        ("The input token count (12) exceeds the maximum number of tokens allowed (10).", 10),
    ],
)
async def test_an_overflow_is_known_by_many_wordings(wording: str, window: int | None) -> None:
    async with ModelServer([fails(400, wording)]) as server:
        error = await fault(client(server))
        assert len(server.requests) == 1
    assert (error.fault, error.window_tokens) == (Fault.OVERFLOW, window)


async def test_an_answer_that_was_cut_off_is_told_as_such_even_where_the_server_denies_it() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 64}
    cut_off = Completion(
        calls=(("send_message", '{"message": "Once upon'),), finish="tool_calls", usage=usage
    )
    async with ModelServer([cut_off]) as server:
        model = client(server)
        reply = await model.complete(HI, [SEND], answer_tokens=64)
        await model.close()
    assert reply.finish == "length"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(reply.calls[0].arguments)


async def test_the_key_and_what_people_wrote_stand_in_no_error() -> None:
    async with ModelServer([fails(401, "Incorrect API key provided: sk-secret. Hi")]) as server:
        error = await fault(client(server))
    assert "sk-secret" not in str(error)
    assert "Hi" not in str(error)


def test_a_label_has_no_password() -> None:
    endpoint = Endpoint(model="m", base_url="http://me:pw@box:8080/v1/?key=1")
    assert OpenAIClient(endpoint).label == "m at http://box:8080/v1"
