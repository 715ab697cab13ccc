"""Processes that are killed in the middle of what a command does to a home.

`python -m tests.support.killed_child` reads lines of JSON, the fields of a `Life`, and forks for
each one. Its exit code is printed.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from companion.cli.main import main as command
from companion.embedders.wordllama import WordLlama
from companion.opening import open_storage
from companion.settings import Settings
from companion.storage.database import Tx
from companion.storage.vector_blocks import current_model, waiting

TOUCHES = ("open", "os.rename", "os.link", "os.remove", "os.mkdir")
"""What is done to files, as Python's audit hooks name it."""


@dataclass(frozen=True, slots=True)
class Life:
    """A command on a home, or with none the vectors that are still to be made. It dies when it
    has touched files for the `kill_at`th time, or `kill_in` seconds after the home is open; with 0
    never."""

    home: str
    command: Sequence[str] = ()
    kill_at: int = 0
    kill_in: float = 0

    def line(self) -> str:
        return json.dumps(asdict(self))


def install(life: Life) -> None:
    """Have this process die when it is time."""
    left, within = life.kill_at, str(Path(life.home).parent)

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if left and event in TOUCHES and str(arguments[0]).startswith(within):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def live(life: Life) -> int:
    os.environ["COMPANION_HOME"] = life.home
    install(life)
    if life.command:
        return command(list(life.command))
    asyncio.run(_embed(life))
    return 0


async def _embed(life: Life) -> None:
    settings = Settings.model_validate({"embedder": {"kind": "wordllama"}})
    async with open_storage(life.home, settings=settings, environ={}) as storage:
        if life.kill_in:
            loop = asyncio.get_running_loop()
            loop.call_later(life.kill_in, os.kill, os.getpid(), signal.SIGKILL)
        # nobody tells when the last one is there
        while not await storage.db.read(_all_made):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _all_made(tx: Tx) -> bool:
    """Whether every text has its vector under the model in use, and none has another."""
    old = tx.execute(
        "SELECT EXISTS (SELECT 1 FROM vector_block JOIN embedding_model"
        " ON embedding_model.id = model_id WHERE NOT current)"
    ).fetchone()[0]
    return current_model(tx, WordLlama().name) is not None and not waiting(tx, 1) and not old


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if not child:
            code = 70
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                code = live(Life(**json.loads(line)))
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
