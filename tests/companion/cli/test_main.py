"""What holds for every command: exit codes, and one line for what the operator must mend."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.main import COMMANDS, main, parser
from tests.companion.cli.commands import command, environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("COMPANION_CONFIG", "COMPANION_DB_KEY", "COMPANION_LOG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([name, "--help"])
    assert ended.value.code == 0
    assert f"companion {name}" in capsys.readouterr().out


def test_help_shows_the_commands_and_one_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    for asked, shown in ((["help"], "A companion that remembers."), (["help", "chat"], "--as")):
        with pytest.raises(SystemExit) as ended:
            main(asked)
        assert ended.value.code == 0
        assert shown in capsys.readouterr().out


def test_a_fault_of_the_operators_is_one_line_and_exit_code_2(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "companion.toml").write_text("[agent]\nnmae = 'Juno'\n")
    assert main(["status"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"{home}/companion.toml: unknown key agent.nmae; did you mean name?\n"


def test_a_fault_that_nobody_foresaw_is_one_line_and_a_traceback_only_when_debugging(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_CONFIG", str(home / ("x" * 300)))
    assert main(["status"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("companion failed: OSError: ")
    assert said.count("\n") == 1

    monkeypatch.setenv("COMPANION_LOG", "debug")
    assert main(["status"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_unknown_command_names_those_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["talk"])
    assert ended.value.code == 2
    assert "chat" in capsys.readouterr().err


def test_python_m_companion_is_the_same(tmp_path: Path) -> None:
    assert command(tmp_path, "--version").out == "0.1.0\n"
    assert command(tmp_path, "status").code == 0


def test_a_reader_that_goes_away_is_no_reason_to_complain(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "companion", "status"],
        env=environment(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_terminal_without_the_letters_still_gets_an_answer(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text("[agent]\nnamé = 1", encoding="utf-8")
    environ = {"PYTHONIOENCODING": "ascii"}
    ran = command(tmp_path, "status", environ=environ)
    assert (ran.code, "Traceback" in ran.err) == (2, False)
