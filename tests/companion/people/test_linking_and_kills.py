"""A kill while two accounts become one, or part, loses nothing and tells everybody once."""

import json
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companion.storage.connection import connect
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.two_apps import HERE, THERE, on_two_apps


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home in which Anna is about to agree to a link, for the second time."""
    home = tmp_path / "home"
    home.mkdir()
    async with on_two_apps(home, ScriptedLLM(lambda _: sends("I see."))) as apps:
        await apps.say(HERE, "I play the cello")
        await apps.say(THERE, "My dog is called Rex")
        await apps.say(THERE, f"/link {await apps.code()}")
        await apps.say(THERE, "/link yes")
    return home


@pytest.fixture
async def linked(home: Path) -> Path:
    """The same, agreed."""
    async with on_two_apps(home, ScriptedLLM()) as apps:
        await apps.say(HERE, "/link yes")
    return home


def test_a_link_that_is_killed_is_made_once_and_told_once(home: Path, tmp_path: Path) -> None:
    joined = "You are one person to me now"
    assert killed_at_each_point(home, tmp_path, "/link yes", [(HERE, joined), (THERE, joined)], 1)


def test_a_parting_that_is_killed_is_made_once_and_told_once(linked: Path, tmp_path: Path) -> None:
    parted = (HERE, f"Anna on {THERE} is on its own again")
    assert killed_at_each_point(linked, tmp_path, f"/unlink yes {THERE}", [parted], 2)


def killed_at_each_point(
    home: Path, folder: Path, words: str, expected: list[tuple[str, str]], persons: int
) -> bool:
    """Whether there were points enough; whenever it was killed, what was taken in was done."""
    killed = 0
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.linking_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as lives:
        while True:
            copy = shutil.copytree(home, folder / str(killed))
            code = _life(lives, copy, words, killed + 1)
            assert code in (0, -signal.SIGKILL)
            taken_in = _rows(copy, "SELECT 1 FROM inbox WHERE external_id = 'last'")
            assert _life(lives, copy, words, 0) == 0
            heard = [json.loads(line) for line in (copy / "heard").read_text().splitlines()]
            # the platform drops a message whose id it has had
            told = [(app, text) for app, _, text in {tuple(one) for one in heard}]
            if taken_in:
                said = sorted((app, text.partition(":")[0]) for app, text in told)
                assert said == expected, f"killed at point {killed + 1}"
                assert _rows(copy, "SELECT COUNT(*) FROM person") == [(persons,)]
            assert _rows(copy, "SELECT * FROM inbox WHERE state <> 'done'") == []
            if not code:
                break
            killed += 1
        lives.communicate()
    return killed >= 4


def _rows(home: Path, sql: str) -> list[Any]:
    with closing(connect(home / "companion.db", None, read_only=True)) as connection:
        return connection.execute(sql).fetchall()


def _life(lives: "subprocess.Popen[str]", home: Path, words: str, kill_at: int) -> int:
    """The exit code of a life that ends at this point, or by itself."""
    assert lives.stdin is not None
    assert lives.stdout is not None
    lives.stdin.write(json.dumps([str(home), words, kill_at]) + "\n")
    lives.stdin.flush()
    return int(lives.stdout.readline())
