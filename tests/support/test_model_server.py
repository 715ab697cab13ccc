import asyncio
import sys

import aiohttp
import pytest

from tests.support.model_refusals import Asked
from tests.support.model_server import Cut, Hang, ModelServer, calls, embedding, fails, says

ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


async def post(server: ModelServer, path: str = "/chat/completions") -> tuple[int, object]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.base_url + path, json=ASKED) as response,
    ):
        return response.status, await response.json()


async def test_it_answers_in_order_and_remembers_what_was_asked() -> None:
    async with ModelServer([says("上海"), fails(429, "slow down", retry_after="3")]) as server:
        status, body = await post(server)
        assert (status, await post(server)) == (
            200,
            (
                429,
                {"error": {"message": "slow down", "type": "error", "param": None, "code": None}},
            ),
        )
        assert isinstance(body, dict)
        assert body["choices"][0]["message"]["content"] == "上海"
        assert list(server.requests) == [ASKED, ASKED]


async def test_a_script_may_be_a_function_of_what_is_asked() -> None:
    async with ModelServer(
        lambda asked: calls(send_message={"message": asked["messages"][0]["content"]})
    ) as server:
        _, body = await post(server)
    assert isinstance(body, dict)
    (call,) = body["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "send_message", "arguments": '{"message": "hi"}'}


async def test_it_hangs_up_in_the_middle() -> None:
    async with ModelServer([Cut()]) as server:
        with pytest.raises(aiohttp.ClientPayloadError):
            await post(server)


async def test_whoever_waits_for_ever_is_let_go_at_the_end() -> None:
    arrived = asyncio.Event()

    def hang(asked: Asked) -> Hang:
        arrived.set()
        return Hang()

    async with ModelServer(hang) as server:
        waiting = asyncio.create_task(post(server))
        await arrived.wait()
    with pytest.raises((aiohttp.ClientError, asyncio.CancelledError)):
        await waiting


def test_texts_that_share_words_have_near_vectors() -> None:
    def near(a: str, b: str) -> float:
        return sum(x * y for x, y in zip(embedding(a), embedding(b), strict=True))

    assert near("my cat Miso", "a cat named Miso") > near("my cat Miso", "Berlin in spring")


async def test_it_runs_as_a_process_of_its_own() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.model_server", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        url = (await process.stdout.readline()).decode().strip()
        async with (
            aiohttp.ClientSession() as session,
            session.post(url + "/chat/completions", json=ASKED) as response,
        ):
            body = await response.json()
        assert body["choices"][0]["message"]["content"] == "Good to hear from you."
    finally:
        process.kill()
        await process.wait()
