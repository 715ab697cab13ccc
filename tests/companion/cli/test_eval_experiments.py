"""`companion eval kv` and the options that all experiments have."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.evaluation.reader import move
from tests.companion.evaluation.small import (
    facts_file,
    kv_folder,
    questions_file,
    sessions_file,
)
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, Completion, ModelServer, fails


@pytest.fixture(autouse=True)
def _a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COMPANION_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


def run(*argv: str) -> int:
    return main(["eval", *argv])


def lines(folder: Path) -> list[dict[str, object]]:
    text = (folder / "samples.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_it_prints_a_table_names_the_reader_and_draws_a_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(kv_folder(tmp_path / "data"))
    options = ("--scripted-reader", "--method", "companion", "--limit", "1", "--jobs", "2")
    assert run("kv", data, *options) == 0
    said = capsys.readouterr()
    printed = said.out
    assert "WARNING" not in said.err
    assert "scripted reader (no model)" in printed
    assert "100.0 %" in printed
    out = tmp_path / "eval-kv"
    assert len(lines(out)) == 5
    assert (out / "kv.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((out / "summary.json").read_text())["samples"] == 5


@pytest.mark.parametrize(
    ("name", "data", "more", "column"),
    [
        ("docqa", questions_file, ("--limit", "1", "--documents", "1", "7"), "answer shown"),
        ("dmr", sessions_file, (), "ROUGE-L recall"),
        ("opener", sessions_file, (), "human's SIM-1"),
        ("update", facts_file, (), "old fact marked as past"),
    ],
)
def test_every_experiment_prints_its_figures_and_draws_them(
    name: str,
    data: Callable[[Path], Path],
    more: tuple[str, ...],
    column: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(name, str(data(tmp_path)), "--scripted-reader", *more) == 0
    assert column in capsys.readouterr().out
    assert (tmp_path / f"eval-{name}" / f"{name}.png").is_file()
    assert all(line["trace"] for line in lines(tmp_path / f"eval-{name}"))


@pytest.mark.timeout(600)  # a whole run of the program
async def test_samples_that_got_no_answer_are_told_and_tried_again(tmp_path: Path) -> None:
    data = facts_file(tmp_path)
    command = [sys.executable, "-m", "companion", "eval", "update", str(data), "--resume"]
    async with ModelServer(lambda _asked: fails(401, "wrong key")) as server:
        environ = {**os.environ, "OPENAI_BASE_URL": server.base_url}
        process = await asyncio.create_subprocess_exec(
            *command, env=environ, stderr=asyncio.subprocess.PIPE
        )
        _, said = await process.communicate()
    assert process.returncode == 1
    assert b"Samples that failed: 1. --resume tries them again." in said
    assert lines(tmp_path / "eval-update") == []


def test_a_finished_run_is_made_larger_by_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(kv_folder(tmp_path / "data"))
    common = ("kv", data, "--scripted-reader", "--method", "baseline", "--out", "here")
    assert run(*common, "--limit", "1") == 0
    before = lines(tmp_path / "here")
    assert run(*common, "--limit", "2") == 2
    assert "--resume goes on with it" in capsys.readouterr().err
    assert run(*common, "--limit", "2", "--resume", "--json") == 0
    after = lines(tmp_path / "here")
    assert after[:5] == before
    assert len({line["id"] for line in after}) == 10
    assert json.loads(capsys.readouterr().out)["samples"] == 10


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--limit", "0"), "1 or more"),
        (("--window", "100"), "4096 tokens"),
        (("--model", "a", "--scripted-reader"), "not allowed with"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    wrong: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run("kv", "data", *wrong)
    assert said in capsys.readouterr().err


def test_a_folder_without_data_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("kv", "nowhere", "--scripted-reader") == 2
    assert "pairs.json cannot be read" in capsys.readouterr().err


def test_without_matplotlib_the_table_is_there_and_told_how_to_get_plots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    data = str(kv_folder(tmp_path / "data"))
    common = ("kv", data, "--scripted-reader", "--method", "baseline", "--limit", "1")
    assert run(*common) == 0
    said = capsys.readouterr()
    assert "100.0 %" in said.out
    assert "companion[eval]" in said.err


@pytest.mark.timeout(600)  # two whole runs of the program, on a machine that may be busy
async def test_a_model_is_asked_and_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    data = kv_folder(tmp_path / "data", pairs=8, orderings=1)
    command = [sys.executable, "-m", "companion", "eval", "kv", str(data), "--model", "gpt-test"]
    command += ["--method", "companion", "--window", "6000"]
    processes: list[asyncio.subprocess.Process] = []
    until_kill = 6

    def answer(asked: Asked) -> Answer:
        nonlocal until_kill
        until_kill -= 1
        if until_kill == 0:
            os.kill(processes[-1].pid, signal.SIGKILL)
        made = move(asked)
        return Completion(text=made.text or None, calls=made.calls)

    async with ModelServer(answer) as server:
        environ = {**os.environ, "OPENAI_BASE_URL": server.base_url}

        async def once(*more: str) -> int:
            processes.append(await asyncio.create_subprocess_exec(*command, *more, env=environ))
            return await processes[-1].wait()

        assert await once() == -signal.SIGKILL
        done = lines(tmp_path / "eval-kv")
        assert 0 < len(done) < 5
        assert await once("--resume") == 0
        assert {asked["model"] for asked in server.requests} == {"gpt-test"}
    after = lines(tmp_path / "eval-kv")
    assert after[: len(done)] == done
    assert len({line["id"] for line in after}) == len(after) == 5
    summary = json.loads((tmp_path / "eval-kv" / "summary.json").read_text())
    assert summary["run"]["window"] == 6000
    assert summary["run"]["model"] == "gpt-test"
    assert summary["prompt_tokens"] > 0
