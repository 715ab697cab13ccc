"""`companion chat` where nothing is configured yet."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from companion.cli.first_start import settings_to_talk_with
from companion.errors import OperatorError
from companion.home import Home
from companion.local.found import find_servers
from companion.settings import Settings, load
from tests.companion.cli.at_a_terminal import terminal
from tests.companion.cli.commands import command

CTRL_D = "\x04"
OLLAMA_PORT = 11434


@pytest.fixture
async def ollama() -> AsyncIterator[None]:
    """An Ollama where everybody expects it, with two models to talk with."""

    async def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/api/tags":
            names = ("qwen3:4b-instruct", "llama3:8b", "nomic-embed-text")
            return web.json_response({"models": [{"name": name} for name in names]})
        return web.Response(status=404)

    server = RawTestServer(answer, port=OLLAMA_PORT)
    try:
        await server.start_server()
    except OSError:
        pytest.skip(f"something listens on port {OLLAMA_PORT} of this machine")
    yield
    await server.close()


def settings_in_a_script(home: Path, *, yes: bool = False) -> Settings:
    environ = {"COMPANION_HOME": str(home)}
    return settings_to_talk_with(Home(home), environ, yes=yes)


async def nothing_runs_here() -> None:
    if await find_servers():
        pytest.skip("a server with models runs on this machine")


async def test_a_script_is_told_what_to_do(tmp_path: Path) -> None:
    await nothing_runs_here()
    ran = await asyncio.to_thread(command, tmp_path, "chat", "-m", "Hello")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("No model is configured.")
    for way in ("python -m companion chat --yes", "python -m companion init", "OPENAI_API_KEY"):
        assert way in ran.err


async def test_a_person_is_asked_and_may_say_no(tmp_path: Path) -> None:
    await nothing_runs_here()

    def answer_no() -> None:
        with terminal(tmp_path, "chat") as at:
            at.reads("companion would run a small one on this machine")
            at.reads("It is fetched once, 1.1 GB.")
            at.reads("Fetch it now? [Y/n]")
            at.types("maybe\r")
            at.reads("Write yes or no.")
            at.types("n\r")
            at.reads("companion init")
            assert at.ends() == 2

    await asyncio.to_thread(answer_no)
    assert not (tmp_path / "companion.toml").exists()


async def test_who_leaves_at_the_question_is_told_that_nothing_was_changed(
    tmp_path: Path,
) -> None:
    await nothing_runs_here()

    def leave() -> None:
        with terminal(tmp_path, "chat") as at:
            at.reads("Fetch it now? [Y/n]")
            at.types(CTRL_D)
            at.reads("Left without an answer: nothing was changed.")
            assert at.ends() == 1

    await asyncio.to_thread(leave)


@pytest.mark.usefixtures("ollama")
async def test_an_ollama_on_this_machine_is_offered_to_a_script(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="qwen3:4b-instruct, which Ollama has on this machine"):
        await asyncio.to_thread(settings_in_a_script, tmp_path)


@pytest.mark.usefixtures("ollama")
async def test_with_yes_the_ollama_is_taken_and_kept_for_the_next_time(tmp_path: Path) -> None:
    settings = await asyncio.to_thread(settings_in_a_script, tmp_path, yes=True)
    (model,) = settings.models
    assert (model.name, model.base_url) == ("qwen3:4b-instruct", "http://127.0.0.1:11434/v1")
    assert load(tmp_path / "companion.toml", {}) == settings


@pytest.mark.usefixtures("ollama")
async def test_settings_that_are_there_are_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text('[agent]\nname = "Juno"\n')
    settings = await asyncio.to_thread(settings_in_a_script, tmp_path, yes=True)
    assert settings.agent.name == "Juno"
    assert settings.models[0].name == "qwen3:4b-instruct"
    assert path.read_text() == '[agent]\nname = "Juno"\n'


async def test_what_is_configured_is_asked_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text('[[models]]\nname = "mine"\n')
    settings = await asyncio.to_thread(settings_in_a_script, tmp_path)
    assert settings.models[0].name == "mine"


async def test_a_model_that_is_here_is_asked_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "qwen2.5-coder-1.5b.gguf").write_bytes(b"GGUF")
    assert (await asyncio.to_thread(settings_in_a_script, tmp_path)).models == ()


async def test_a_model_of_ones_own_that_is_not_here_is_named(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text('[local]\nmodel = "mine"\n')
    ran = await asyncio.to_thread(command, tmp_path, "chat", "-m", "Hello", "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "companion model pull FILE --name mine" in ran.err
