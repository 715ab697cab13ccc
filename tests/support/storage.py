"""What tests of the storage share: a clock that stands, people to store, writes that wait."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.storage.database import Database, Tx

NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)


class StoppedClock:
    """The time that a test says it is."""

    def __init__(self, now: datetime = NOON) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time


def add(name: str) -> Callable[[Tx], int | None]:
    """Work that stores a person called `name`."""
    return lambda tx: (
        tx.execute(
            "INSERT INTO person (name, created_at) VALUES (:name, '2026-01-01')", {"name": name}
        ).lastrowid
    )


def names(tx: Tx) -> list[str]:
    """The people that are stored."""
    return [name for (name,) in tx.execute("SELECT name FROM person ORDER BY id")]


async def hold(db: Database) -> tuple[asyncio.Task[None], threading.Event]:
    """Keep the writer busy until the event is set, so that other writes gather meanwhile."""
    begun, release = threading.Event(), threading.Event()

    def wait(tx: Tx) -> None:
        begun.set()
        assert release.wait(10)

    task = asyncio.create_task(db.write(wait))
    await asyncio.to_thread(begun.wait, 10)
    return task, release


async def begin(*calls: Coroutine[Any, Any, Any]) -> list[asyncio.Task[Any]]:
    """Tasks that have run up to their first wait."""
    tasks = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0)
    return tasks


def store_and_die(path: Path, name: str, *, key: str | None = None) -> None:
    """Have another process store `name` at `path` and be killed, so that only the log has it."""
    died = subprocess.run(
        [sys.executable, "-c", STORE_AND_DIE, str(path), name, key or ""], check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert path.with_name(path.name + "-wal").stat().st_size > 0


STORE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from typing import Any
from companion.storage.database import Database
from tests.support.storage import add

async def main():
    _, path, name, key = sys.argv
    db = await Database.open(Path(path), key=key or None)
    await db.write(add(name))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
