"""What is personal is for its owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.cli.settings_file import write_settings
from companion.home import Home
from companion.local.server import LocalServer
from companion.local.sources import FileSource
from companion.local.weights import Model, Weights
from companion.private import make_file


@pytest.fixture(autouse=True)
def generous() -> Iterator[None]:
    """A machine where everybody may read what nobody thought of."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[Path]:
    """All below `folder` that others may look into, except a model's own file."""
    return [
        path
        for path in folder.rglob("*")
        if path.suffix not in (".gguf", ".partial")
        and stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    ]


def test_the_folders_above_a_file_are_as_private_as_the_file(tmp_path: Path) -> None:
    make_file(tmp_path / "a" / "b" / "file")
    assert open_to_others(tmp_path) == []


def test_a_home_and_the_folders_above_it_are_private(tmp_path: Path) -> None:
    Home(tmp_path / "share" / "companion").make()
    assert open_to_others(tmp_path) == []


def test_settings_are_private(tmp_path: Path) -> None:
    for name in ("Mira", "Juno"):
        write_settings(tmp_path / "home" / "companion.toml", name=name, model={})
    assert open_to_others(tmp_path) == []


def test_a_home_that_a_model_was_fetched_for_is_private(tmp_path: Path) -> None:
    (tmp_path / "weights.gguf").write_bytes(b"GGUF and more")
    source = FileSource(tmp_path / "weights.gguf")
    Weights(tmp_path / "home").pull(Model(name="m", about="", sources=(source,), sha256=None))
    assert open_to_others(tmp_path) == []


async def test_what_the_local_model_logs_is_private(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    log = tmp_path / "home" / "logs" / "local-model.log"
    server = LocalServer(
        tmp_path / "m.gguf", window_tokens=512, log=log, program=("sleep", "0"), ready_seconds=9
    )
    with pytest.raises(Exception, match="did not start"):
        await server.endpoint()
    assert open_to_others(tmp_path) == []
