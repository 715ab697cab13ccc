import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from companion.errors import LLMUnavailableError
from companion.local.server import Endpoint, LocalServer
from tests.support.tiny_gguf import write_tiny_model

WINDOW = 512


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
async def server(model: Path, tmp_path: Path) -> AsyncIterator[LocalServer]:
    server = LocalServer(
        model, window_tokens=WINDOW, threads=1, log=tmp_path / "log", first_back_off=0
    )
    yield server
    await server.close()


async def ask(endpoint: Endpoint, key: str | None = None) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
        return await client.post(
            f"{endpoint.base_url}/chat/completions",
            json={"messages": [{"role": "user", "content": "hello"}], "max_tokens": 4},
            headers={"Authorization": f"Bearer {key or endpoint.api_key}"},
        )


async def test_llama_cpp_answers_as_openai_would(server: LocalServer) -> None:
    answer = (await ask(await server.endpoint())).json()
    assert answer["model"] == "tiny"
    assert answer["usage"]["completion_tokens"] == 4


async def test_the_beginning_of_a_prompt_is_read_once(server: LocalServer) -> None:
    endpoint = await server.endpoint()
    await ask(endpoint)
    usage = (await ask(endpoint)).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= usage["prompt_tokens"] - 1


async def test_only_the_companion_may_ask_it(server: LocalServer) -> None:
    assert (await ask(await server.endpoint(), key="somebody else's")).status_code == 401


async def test_one_server_serves_all_who_ask(server: LocalServer) -> None:
    assert await server.endpoint() == await server.endpoint()


async def test_a_server_that_fell_is_started_again(server: LocalServer) -> None:
    await server.endpoint()
    os.kill(pid(server), signal.SIGKILL)
    await server.ended()
    assert (await ask(await server.endpoint())).is_success


async def test_a_closed_server_leaves_no_process(server: LocalServer) -> None:
    await server.endpoint()
    process = pid(server)
    await server.close()
    assert not server.running
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_a_file_that_is_no_model_is_told_with_the_log(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF and nothing more")
    server = LocalServer(
        tmp_path / "bad.gguf", window_tokens=WINDOW, threads=1, log=tmp_path / "log"
    )
    with pytest.raises(LLMUnavailableError, match=str(tmp_path / "log")):
        await server.endpoint()
    assert (tmp_path / "log").read_text()


async def test_a_server_that_never_gets_ready_is_given_up(model: Path, tmp_path: Path) -> None:
    server = LocalServer(
        model,
        window_tokens=WINDOW,
        log=tmp_path / "log",
        ready_seconds=0.1,
        program=(sys.executable, "-c", "import signal; signal.pause()"),  # as deaf as in loading
    )
    async with asyncio.timeout(4):
        with pytest.raises(LLMUnavailableError, match="did not start"):
            await server.endpoint()
    assert not server.running


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_the_companion(
    model: Path, tmp_path: Path, how: signal.Signals
) -> None:
    companion = subprocess.Popen(
        [sys.executable, "-c", COMPANION, str(model), str(tmp_path / "log")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert companion.stdout is not None
    with companion.stdout:
        server = os.pidfd_open(int(companion.stdout.readline()))
    companion.send_signal(how)
    companion.wait()
    try:
        ended, _, _ = select.select([server], [], [], 10)
    finally:
        os.close(server)
    assert ended


COMPANION = """
import asyncio, sys
from pathlib import Path
from companion.local.server import LocalServer

async def main():
    server = LocalServer(Path(sys.argv[1]), window_tokens=512, threads=1, log=Path(sys.argv[2]))
    await server.endpoint()
    print(server.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def pid(server: LocalServer) -> int:
    assert server.pid is not None
    return server.pid
