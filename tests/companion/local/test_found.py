import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from companion.local.found import Found, find_servers

NOBODY = "http://127.0.0.1:1"


@asynccontextmanager
async def serving(answers: Mapping[str, Any]) -> AsyncIterator[str]:
    """A server that gives these JSON answers by path. None: it never answers."""
    until = asyncio.Event()

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        if request.path not in answers:
            return web.Response(status=404)
        if answers[request.path] is None:
            await until.wait()
        return web.json_response(answers[request.path])

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        until.set()
        await runner.cleanup()


async def test_an_ollama_is_found_with_its_chat_models() -> None:
    tags = {"models": [{"name": "qwen3:4b-instruct"}, {"name": "nomic-embed-text"}]}
    async with serving({"/api/tags": tags}) as url:
        found = await find_servers(ollama=url, llama_cpp=NOBODY)
    assert found == [
        Found(name="Ollama", base_url=f"{url}/v1", models=("qwen3:4b-instruct",)),
    ]


async def test_a_llama_cpp_is_found() -> None:
    listed = {"data": [{"id": "gemma.gguf", "owned_by": "llamacpp"}]}
    async with serving({"/v1/models": listed}) as url:
        found = await find_servers(ollama=NOBODY, llama_cpp=url)
    assert found == [Found(name="llama.cpp", base_url=f"{url}/v1", models=("gemma.gguf",))]


async def test_another_program_on_the_port_is_not_taken_for_a_model() -> None:
    answers: list[Any] = [{"data": [{"id": "x"}]}, {"data": "x"}, [], "hello", {"data": [7]}]
    for answer in answers:
        async with serving({"/v1/models": answer, "/api/tags": answer}) as url:
            assert await find_servers(ollama=url, llama_cpp=url) == []


async def test_an_ollama_without_models_is_not_offered() -> None:
    async with serving({"/api/tags": {"models": []}}) as url:
        assert await find_servers(ollama=url, llama_cpp=NOBODY) == []


async def test_a_port_that_says_nothing_is_left_after_a_second() -> None:
    async with serving({"/api/tags": None}) as url, asyncio.timeout(5):
        assert await find_servers(ollama=url, llama_cpp=NOBODY) == []


async def test_where_nothing_runs_nothing_is_found() -> None:
    assert await find_servers(ollama=NOBODY, llama_cpp=NOBODY) == []
