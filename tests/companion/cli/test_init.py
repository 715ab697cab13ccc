"""A settings file written by `companion init`, with and without questions."""

from pathlib import Path

from companion.settings import Settings, load
from tests.companion.cli.at_a_terminal import terminal
from tests.companion.cli.commands import command


def test_with_yes_it_asks_nothing_and_takes_the_arguments(tmp_path: Path) -> None:
    path = tmp_path / "home" / "companion.toml"
    arguments = ("--yes", "--name", "Juno", "--model", "qwen", "--api-key-env", "MY_KEY")
    ran = command(path.parent, "init", *arguments, "--base-url", "http://models.example:1/v1")
    assert ran.code == 0
    assert f"Wrote {path}" in ran.out
    assert "set MY_KEY" in ran.out
    settings = load(path, {})
    assert settings.agent.name == "Juno"
    (model,) = settings.models
    assert (model.name, model.base_url) == ("qwen", "http://models.example:1/v1")
    assert model.api_key_env == "MY_KEY"


def test_without_arguments_it_is_the_defaults_explained(tmp_path: Path) -> None:
    ran = command(tmp_path, "init", "--yes")
    assert (ran.code, ran.out.endswith("Now: python -m companion chat\n")) == (0, True)
    assert load(tmp_path / "companion.toml", {}) == Settings()


def test_where_nobody_can_be_asked_it_says_so_and_writes_nothing(tmp_path: Path) -> None:
    ran = command(tmp_path, "init")
    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text("# mine")
    ran = command(tmp_path, "init", "--yes")
    assert ran.code == 2
    assert "is there already" in ran.err
    assert path.read_text() == "# mine"


def test_an_address_that_is_none_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    ran = command(tmp_path, "init", "--yes", "--base-url", "localhost")
    assert ran.code == 2
    assert "models.base_url (number 1): write an address such as" in ran.err
    assert not (tmp_path / "companion.toml").exists()


def test_it_asks_for_a_name_and_a_model(tmp_path: Path) -> None:
    with terminal(tmp_path, "init") as at:
        at.reads("What is it called? [Mira]:")
        at.types("Juno\r")
        at.reads("one at another OpenAI-compatible address")
        number = at.number_of("one at another OpenAI-compatible address")
        at.reads("Number [1]:")
        at.types(f"nonsense\r{number}\r")
        at.reads("Its address")
        at.types("http://127.0.0.1:9/v1\r")
        at.reads("What it calls the model [auto]:")
        at.types("qwen\r")
        at.reads("holds its key [OPENAI_API_KEY]:")
        at.types("\r")
        assert at.ends() == 0
    settings = load(tmp_path / "companion.toml", {})
    assert settings.agent.name == "Juno"
    (model,) = settings.models
    assert (model.name, model.base_url) == ("qwen", "http://127.0.0.1:9/v1")


def test_it_replaces_a_file_only_when_told_to(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text("# mine")
    with terminal(tmp_path, "init") as at:
        at.reads("Replace it? [y/N]")
        at.types("\r")
        assert at.ends() == 2
    assert path.read_text() == "# mine"


def test_ctrl_c_leaves_and_writes_nothing(tmp_path: Path) -> None:
    with terminal(tmp_path, "init") as at:
        at.reads("What is it called?")
        at.types("\x03")
        assert at.ends() == 130
    assert list(tmp_path.iterdir()) == []
