import argparse
import hashlib
import json
from pathlib import Path

import pytest

from companion.cli import model
from companion.errors import ModelFileError
from companion.evaluation.configuration import settings_for
from companion.local.weights import CATALOGUE, Weights
from companion.settings import ModelSettings, Settings
from tests.support.file_server import FileServer, file_server

DATA = b"GGUF" + bytes(1000)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.gguf"
    path.write_bytes(DATA)
    return path


def companion(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    model.add(parser.add_subparsers())
    return model.run(parser.parse_args(["model", *argv]))


def test_a_file_is_pulled_listed_and_removed(
    file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert companion("pull", str(file)) == 0
    assert (home / "models" / "mine.gguf").read_bytes() == DATA
    companion("list")
    assert "mine  0 MB" in capsys.readouterr().out
    companion("remove", "mine")
    assert Weights(home).kept() == []


def test_a_url_needs_a_digest() -> None:
    with pytest.raises(ModelFileError, match="needs --sha256"):
        companion("pull", "https://models.example.com/a.gguf")


def test_a_url_is_pulled_under_its_own_or_a_given_name(home: Path) -> None:
    digest = hashlib.sha256(DATA).hexdigest().upper()
    with file_server(FileServer(DATA)) as server:
        companion("pull", server.url, "--sha256", digest)
        companion("pull", server.url, "--sha256", digest, "--name", "other")
    assert [kept.name for kept in Weights(home).kept()] == ["model", "other"]


def test_what_is_neither_name_nor_file_nor_url_names_the_known_models() -> None:
    with pytest.raises(ModelFileError, match=r"known models: qwen2\.5-coder-1\.5b"):
        companion("pull", "llama")


def test_the_list_tells_a_script_what_is_here_and_what_can_be(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    companion("pull", str(file))
    capsys.readouterr()
    companion("list", "--json")
    listed = json.loads(capsys.readouterr().out)
    assert [kept["name"] for kept in listed["here"]] == ["mine"]
    assert [offered["name"] for offered in listed["offered"]] == [*CATALOGUE]


def test_no_bar_is_drawn_where_nobody_watches(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    companion("pull", str(file))
    assert capsys.readouterr().err == ""


def test_an_experiment_takes_another_model_of_the_same_endpoint(home: Path) -> None:
    settings = Settings(models=(ModelSettings(name="a", base_url="http://127.0.0.1:1/v1"),))
    chosen = settings_for(settings, "b", Weights(home))
    assert [(m.name, m.base_url) for m in chosen.models] == [("b", "http://127.0.0.1:1/v1")]


def test_an_experiment_takes_a_model_of_this_machine_by_its_path(home: Path, file: Path) -> None:
    settings = Settings(models=(ModelSettings(name="a", base_url="http://127.0.0.1:1/v1"),))
    companion("pull", str(file))
    for name in ("mine", str(file)):
        chosen = settings_for(settings, name, Weights(home))
        assert chosen.models == ()
        assert Path(chosen.local.model).read_bytes() == DATA


def test_an_experiment_without_any_model_says_how_to_get_one(home: Path) -> None:
    with pytest.raises(ModelFileError, match="companion model pull"):
        settings_for(Settings(), None, Weights(home))
