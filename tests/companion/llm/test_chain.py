import asyncio
import json
import logging
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import (
    ContextOverflowError,
    LLMError,
    LLMRefusedError,
    LLMUnavailableError,
)
from companion.llm.chain import ModelChain
from companion.llm.openai_client import Endpoint, OpenAIClient
from companion.llm.protocol import Message, ToolSchema
from tests.support.model_server import (
    Answer,
    Completion,
    Cut,
    Hang,
    ModelServer,
    Raw,
    calls,
    fails,
    says,
)
from tests.support.virtual_clock import VirtualClock

HI = [Message("user", "Hi, this is private.")]
SEND = ToolSchema("send_message", "Say it.", {"type": "object", "properties": {}})


class Sleeper:
    """Sleeps in no time: the clock moves instead."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._clock.advance(timedelta(seconds=seconds))


class Chained:
    """A chain over servers, with what a test wants to look at."""

    def __init__(self, servers: list[ModelServer], timeout: float = 20) -> None:
        self.clock = VirtualClock()
        self.sleep = Sleeper(self.clock)
        self.servers = servers
        self.llm = ModelChain(
            [
                OpenAIClient(Endpoint(model=name, base_url=server.base_url, timeout=timeout))
                for name, server in zip("abcdef", servers, strict=False)
            ],
            clock=self.clock,
            rng=random.Random(1),
            sleep=self.sleep,
        )

    async def ask(self) -> str:
        return (await self.llm.complete(HI, [SEND], answer_tokens=64)).text

    @property
    def asked(self) -> list[int]:
        """How many requests each server has had."""
        return [len(server.requests) for server in self.servers]


Script = list[Answer] | Callable[[dict[str, object]], Answer]


@asynccontextmanager
async def chained(*scripts: Script, patience: float = 20) -> AsyncIterator[Chained]:
    servers = [ModelServer(script) for script in scripts]
    for server in servers:
        await server.start()
    chain = Chained(servers, patience)
    chain.llm.warm()
    try:
        yield chain
    finally:
        await chain.llm.close()
        for server in servers:
            await server.stop()


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429, "slow down", retry_after="3"),
        fails(429, "slow down"),
        fails(500),
        fails(502),
        fails(503),
        fails(529),
        Cut(),
        Raw(body=b"<html>Bad gateway</html>", content_type="text/html"),
        Completion(text=None),
        Completion(text=None, finish="length"),
        Completion(text="", extra={"reasoning_content": "Hm."}),
        Completion(text="<think>Hm."),
    ],
)
async def test_passing_trouble_is_met_by_asking_again(trouble: Answer) -> None:
    async with chained([trouble, says("hello")]) as chain:
        assert await chain.ask() == "hello"


async def test_retry_after_is_obeyed() -> None:
    async with chained([fails(429, retry_after="7"), says("hello")]) as chain:
        await chain.ask()
        assert 7 <= chain.sleep.slept[0] <= 8


async def test_retry_after_may_be_a_date() -> None:
    header = "Mon, 05 May 2025 12:00:09 GMT"
    async with chained([fails(429, retry_after=header), says("hello")]) as chain:
        await chain.ask()
        assert 9 <= chain.sleep.slept[0] <= 10


async def test_who_asks_to_be_left_alone_for_an_hour_is_passed_over() -> None:
    async with chained([fails(429, retry_after="3600")], lambda _: says("hello")) as chain:
        assert await chain.ask() == "hello"
        assert await chain.ask() == "hello"
        assert chain.asked == [1, 2]
        assert chain.sleep.slept == []


async def test_the_pauses_between_attempts_grow() -> None:
    async with chained([fails(500), fails(500), says("hello")]) as chain:
        await chain.ask()
        first, second = chain.sleep.slept
        assert 0.5 <= first <= 1.5
        assert 1.0 <= second <= 3.0


async def test_after_three_attempts_the_next_model_is_asked() -> None:
    async with chained([fails(500)] * 3, [says("hello")]) as chain:
        reply = await chain.llm.complete(HI, answer_tokens=64)
        assert (reply.text, reply.model) == ("hello", "b")
        assert chain.asked == [3, 1]


@pytest.mark.parametrize(
    "answer",
    [
        fails(401, "Incorrect API key provided: sk-1"),
        fails(402, "Insufficient Balance"),
        fails(404, "The model `a` does not exist"),
        fails(400, "messages: no"),
        fails(400, "content_filter"),
    ],
)
async def test_what_asking_again_cannot_mend_is_asked_no_more_than_it_takes(answer: Raw) -> None:
    async with chained(lambda _: answer, [says("hello")]) as chain:
        assert await chain.ask() == "hello"
        # a refusal without a reason is tried once more in its plainest form
        assert chain.asked[0] <= 2
        assert chain.sleep.slept == []


async def test_a_hanging_first_model_costs_its_timeout_once_and_not_each_turn() -> None:
    async with chained(lambda _: Hang(), lambda _: says("hello"), patience=0.2) as chain:
        for _ in range(5):
            assert await chain.ask() == "hello"
        assert chain.asked == [1, 5]


async def test_a_model_that_was_down_is_tried_again_by_one_turn_and_then_used() -> None:
    down = True

    def first(_: dict[str, object]) -> Answer:
        return fails(500) if down else says("first")

    async with chained(first, lambda _: says("second")) as chain:
        assert await chain.ask() == "second"
        assert chain.asked == [3, 1]
        chain.clock.advance(timedelta(seconds=31))
        assert await asyncio.gather(*(chain.ask() for _ in range(4))) == ["second"] * 4
        assert chain.asked == [4, 5]
        chain.clock.advance(timedelta(seconds=31))
        assert await chain.ask() == "second"
        assert chain.asked == [4, 6]
        down = False
        chain.clock.advance(timedelta(seconds=31))
        assert await chain.ask() == "first"
        assert await chain.ask() == "first"


async def test_many_turns_that_fail_together_pause_a_model_no_longer_than_one() -> None:
    down = True

    def first(_: dict[str, object]) -> Answer:
        return fails(500) if down else says("first")

    async with chained(first, lambda _: says("second")) as chain:
        await asyncio.gather(*(chain.ask() for _ in range(10)))
        down = False
        chain.clock.advance(timedelta(seconds=31))
        assert await chain.ask() == "first"


async def test_with_every_model_in_its_pause_all_are_tried() -> None:
    async with chained([*[fails(500)] * 3, says("back")], [fails(500)] * 3) as chain:
        with pytest.raises(LLMUnavailableError):
            await chain.ask()
        assert await chain.ask() == "back"


async def test_an_answer_cut_off_before_a_word_is_asked_for_with_more_room() -> None:
    async with chained([Completion(text=None, finish="length"), says("hello")]) as chain:
        await chain.ask()
        limits = [request["max_tokens"] for request in chain.servers[0].requests]
        assert limits == [64, 128]


async def test_an_overflow_goes_to_the_caller_with_the_true_window() -> None:
    said = "This model's maximum context length is 4096 tokens. However, you requested 5000"
    async with chained([fails(400, said)], [says("hello")]) as chain:
        with pytest.raises(ContextOverflowError) as raised:
            await chain.ask()
        assert raised.value.window_tokens == 4096
        assert chain.asked == [1, 0]


async def test_all_is_over_after_a_bounded_time() -> None:
    async with chained(*[lambda _: fails(429, retry_after="19")] * 6) as chain:
        start = chain.clock.now()
        with pytest.raises(LLMUnavailableError):
            await chain.ask()
        assert chain.clock.now() - start <= timedelta(minutes=5)


async def test_the_operator_is_told_which_endpoint_and_what_to_change() -> None:
    async with chained(lambda _: fails(401, "bad key sk-1")) as chain:
        with pytest.raises(LLMUnavailableError) as raised:
            await chain.ask()
        text = str(raised.value)
        assert raised.value.permanent
        assert f"a at {chain.servers[0].base_url}: it refused the key" in text
        assert "api_key_env" in text
        assert "sk-1" not in text


async def test_trouble_that_passes_is_not_called_permanent() -> None:
    async with chained(lambda _: fails(500), lambda _: fails(401)) as chain:
        with pytest.raises(LLMUnavailableError) as raised:
            await chain.ask()
        assert not raised.value.permanent


async def test_a_prompt_that_every_model_refuses_is_told_apart() -> None:
    async with chained(lambda _: fails(400, "content_filter"), lambda _: fails(400)) as chain:
        with pytest.raises(LLMRefusedError):
            await chain.ask()


async def test_with_no_model_at_all_the_operator_is_told() -> None:
    async with chained() as chain:
        with pytest.raises(LLMUnavailableError, match="No model is configured") as raised:
            await chain.ask()
        assert raised.value.permanent


async def test_nothing_private_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    echo = fails(400, "cannot read: Hi, this is private.")
    async with chained([echo, fails(500), says("answer")], [fails(500), says("answer")]) as chain:
        await chain.ask()
    assert "private" not in caplog.text
    assert "answer" not in caplog.text.replace("answer_tokens", "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "content": json_values,
        "tool_calls": json_values
        | st.lists(
            st.fixed_dictionaries(
                {
                    "function": st.fixed_dictionaries(
                        {"name": json_values, "arguments": json_values}
                    )
                },
                optional={"id": json_values},
            )
        ),
        "function_call": json_values,
        "refusal": json_values,
    },
)
completions = st.fixed_dictionaries(
    {
        "choices": json_values
        | st.lists(
            st.fixed_dictionaries(
                {"message": messages | json_values, "finish_reason": json_values}
            ),
            min_size=1,
        )
    },
    optional={
        "usage": json_values
        | st.dictionaries(
            st.sampled_from(["prompt_tokens", "completion_tokens", "prompt_tokens_details"]),
            json_values,
        ),
        "error": json_values,
        "model": json_values,
    },
)
bodies = st.binary() | (completions | json_values).map(lambda value: json.dumps(value).encode())


served = st.builds(
    lambda body, status, kind, after: Raw(
        body=body, status=status, content_type=kind, headers={"retry-after": after}
    ),
    bodies,
    st.sampled_from([200, 200, 200, 201, 204, 302, 400, 404, 418, 422, 429, 500, 503]),
    st.sampled_from(["application/json", "text/html", "text/event-stream"]),
    st.sampled_from(["", "3", "-1", "nan", "1e300", "soon", "Mon, 99 Foo 2025"]),
)


def test_any_garbage_from_a_server_becomes_an_answer_or_an_error_of_ours() -> None:
    @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(served, min_size=1, max_size=4))
    def check(garbage: list[Raw]) -> None:
        runner.run(ask(garbage))

    async def ask(garbage: list[Raw]) -> None:
        server.answers = deque([*garbage, calls(send_message={"message": "hi"})])
        clock = VirtualClock()
        llm = ModelChain([client], clock=clock, rng=random.Random(1), sleep=Sleeper(clock))
        try:
            reply = await llm.complete(HI, [SEND], answer_tokens=64)
        except LLMError:
            return
        assert reply.text or reply.calls

    async def serve() -> ModelServer:
        started = ModelServer(keep=0)
        await started.start()
        return started

    with asyncio.Runner() as runner:
        server = runner.run(serve())
        client = OpenAIClient(Endpoint(model="a", base_url=server.base_url))
        check()
        runner.run(client.close())
        runner.run(server.stop())
