"""A settings file written for somebody."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cli.settings_file import filled_in, write_settings
from companion.errors import OperatorError, SettingsError
from companion.settings import ModelSettings, Settings, load
from companion.shipped import settings_template


def test_what_was_answered_is_in_force_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "home" / "companion.toml"
    model = {"name": "qwen3:4b", "base_url": "http://127.0.0.1:11434/v1", "window_tokens": 16384}

    write_settings(path, name="Juno", model=model)

    settings = load(path, {})
    assert settings.agent.name == "Juno"
    assert settings.models == (ModelSettings.model_validate(model),)
    assert settings.model_copy(update={"agent": Settings().agent, "models": ()}) == Settings()


def test_without_answers_it_is_the_shipped_file() -> None:
    template = settings_template()
    assert filled_in(template, name=None, model={}) == template


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40))
def test_any_name_can_be_written(name: str) -> None:
    shipped = tomllib.loads(settings_template())
    assert not any(shipped.values())
    written = tomllib.loads(filled_in(settings_template(), name=name, model={}))
    assert written == {**shipped, "agent": {"name": name}}


def test_a_file_that_was_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text("# mine")
    write_settings(path, model={})
    assert (tmp_path / "companion.toml.before").read_text() == "# mine"


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OperatorError, match="cannot be written"):
        write_settings(tmp_path / "file" / "companion.toml", model={})


def test_an_answer_that_is_no_good_is_named_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    with pytest.raises(SettingsError, match=r"models\.base_url \(number 1\): write"):
        write_settings(path, model={"base_url": "nonsense"})
    assert not path.exists()
