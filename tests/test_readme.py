"""What the README shows runs as it stands there."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.main import COMMANDS
from companion.commands.all import COMMANDS as CHAT_COMMANDS
from tests.companion.cli.commands import environment
from tests.support.model_server import ModelServer, obliging

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
AGENT, MEMORY = EXAMPLES


async def ran(example: str, folder: Path, base_url: str = "") -> str:
    """What `example` prints, run in `folder`."""

    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", example],
            cwd=folder,
            env=environment(folder / "unused", {"OPENAI_BASE_URL": base_url}),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout

    return await asyncio.to_thread(run)


async def test_an_agent_in_ten_lines(tmp_path: Path) -> None:
    async with ModelServer(obliging("Hello Anna!")) as server:
        assert await ran(AGENT, tmp_path, server.base_url) == "Hello Anna!\n"


async def test_memory_alone_in_five_lines(tmp_path: Path) -> None:
    assert await ran(MEMORY, tmp_path) == "Anna's cello teacher is called Ruth.\n"


def test_every_command_is_told_of() -> None:
    told = set(re.findall(r"companion (\w+)", README))
    assert told >= set(COMMANDS) - {"run"}


@pytest.mark.parametrize("name", re.findall(r"^\| `/(\w+)", README, re.MULTILINE))
def test_every_chat_command_that_is_told_of_is_there(name: str) -> None:
    assert name in CHAT_COMMANDS


def test_every_file_that_is_linked_is_there() -> None:
    for target in re.findall(r"\]\((?!http|#)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
