"""`kill -9` in the middle of an export or an import: it is whole, or is made whole by the next."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.home import Home
from companion.portable.archive import read
from companion.portable.files import put_files
from companion.storage.connection import connect
from tests.companion.portable.test_bad_files import ENTRIES, put
from tests.support.killed_child import Life

KILLED = -signal.SIGKILL
FILES = {f"{number}.txt": b"plum " * 1000 for number in range(2)}


@contextmanager
def lives() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.killed_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.communicate()


def lived(process: "subprocess.Popen[str]", life: Life) -> int:
    """The exit code of this life."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(life.line() + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@pytest.fixture
def export(tmp_path: Path) -> Path:
    entries = dict(ENTRIES) | {f"files/{name}": content for name, content in FILES.items()}
    return put(entries, tmp_path / "export.zip")


def test_an_import_that_is_killed_is_made_whole_by_the_next(tmp_path: Path, export: Path) -> None:
    deaths = 0
    with lives() as process:
        while True:
            home = tmp_path / str(deaths) / "home"
            home.mkdir(parents=True)
            life = ("import", str(export))  # dies a step later each time
            code = lived(process, Life(str(home), life, deaths + 1))
            assert code in (0, KILLED)
            if code == 0:
                break
            deaths += 1
            assert lived(process, Life(str(home), life)) == 0
            folders = list((home / "attachments").iterdir())
            kept = {one.name: one.read_bytes() for one in folders[0].iterdir()}
            assert kept == FILES, f"killed at {deaths}"
            database = connect(Home(home).database, None, read_only=True)
            assert database.execute("SELECT said FROM message").fetchall() == [("plums",)]
            database.close()
            shutil.rmtree(home.parent)
    assert deaths >= 10


def test_an_export_that_is_killed_leaves_none_that_is_cut_short(
    tmp_path: Path, export: Path
) -> None:
    home, deaths = tmp_path / "homes" / "home", 0
    home.mkdir(parents=True)
    with lives() as process:
        assert lived(process, Life(str(home), ("import", str(export)))) == 0
        while True:
            out = home.parent / f"{deaths}.zip"
            life = ("memory", "export", "1", "-o", str(out))
            code = lived(process, Life(str(home), life, deaths + 1))
            assert code in (0, KILLED)
            if out.exists():
                assert set(read(out).files) == set(FILES)
            if code == 0:
                break
            deaths += 1
            if not out.exists():
                assert lived(process, Life(str(home), life)) == 0, "nothing is in its way"
                assert set(read(out).files) == set(FILES)
    assert deaths >= 5


def test_what_stands_there_already_stays(tmp_path: Path) -> None:
    put_files(tmp_path / "files", {"a": b"mine"})
    put_files(tmp_path / "files", {"a": b"theirs", "b": b"new"})
    kept = {one.name: one.read_bytes() for one in (tmp_path / "files").iterdir()}
    assert kept == {"a": b"mine", "b": b"new"}
