"""`companion eval recall`."""

import json
from pathlib import Path

import pytest

from companion.cli.main import main
from tests.companion.evaluation.test_chats import LOCOMO, write


def run(*argv: str) -> int:
    return main(["eval", "recall", *argv])


@pytest.fixture(autouse=True)
def _a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COMPANION_CONFIG", raising=False)


def test_it_prints_a_table_by_category(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(write(tmp_path, LOCOMO))) == 0
    printed = capsys.readouterr().out
    assert "single-hop" in printed
    assert "R@10" in printed


def test_it_prints_every_ablation_for_a_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(str(write(tmp_path, LOCOMO)), "--ablation", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert "without meaning" in printed
    assert printed["all signs"]["lines"][-1]["category"] == "all"


def test_it_asks_only_some_questions_and_keeps_the_figures(tmp_path: Path) -> None:
    assert run(str(write(tmp_path, LOCOMO)), "--limit", "1", "--out", str(tmp_path / "out")) == 0
    kept = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert kept["all signs"]["lines"][-1]["questions"] == 2
    assert kept["all signs"]["lines"][-1]["mrr"]["value"] == 0.5


def test_it_times_searches_among_as_many_messages_as_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(str(write(tmp_path, LOCOMO)), "--speed", "30", "60", "--json") == 0
    assert [speed["messages"] for speed in json.loads(capsys.readouterr().out)] == [30, 60]
