"""Where a companion may be killed: before and after every commit, request and send.

The program knows nothing of this. The parts that it is built from are replaced by ones that pass
a point on their way, in the process that is to be killed.
"""

import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, TypeVar

from companion import app, opening
from companion.llm.protocol import LLM, Message, Reply, ToolSchema
from companion.storage import database
from companion.storage.connection import Tx
from companion.storage.database import Database

T = TypeVar("T")


@dataclass
class Points:
    """Counts the points that are passed, and kills this process at the one that was asked for."""

    kill_at: tuple[str, int] | None = None
    passed: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def pass_(self, name: str) -> None:
        """This is the point called `name`."""
        with self._lock:  # points lie in the event loop and in the writer's thread
            self.passed[name] += 1
            if self.kill_at == (name, self.passed[name]):
                os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points) -> None:
    """Have a companion that is opened from now on pass `points`."""
    pointed = type("PointedDatabase", (_PointedDatabase,), {"points": points})
    setattr(opening, "Database", pointed)  # noqa: B010 - mypy lets nobody assign to a class
    _wrap(app, "open_models", partial(_open_models, points))
    _wrap(database, "connect", partial(_connect, points))


def _wrap(module: ModuleType, name: str, wrapper: Callable[..., Any]) -> None:
    setattr(module, name, partial(wrapper, getattr(module, name)))


class _PointedDatabase(Database):
    """Passes a point before and after the commit of each write, called after what is written."""

    points: Points

    def __init__(self, path: Path, writer: Tx | None, readers: list[Tx]) -> None:
        if writer:
            writer.set_trace_callback(None)  # it is open now
        super().__init__(path, writer, readers)

    async def write(self, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        name = _name(work)

        def passing(tx: Tx) -> T:
            value = work(tx)
            self.points.pass_(f"before commit: {name}")
            return value

        value = await super().write(passing, patient=patient)
        self.points.pass_(f"after commit: {name}")
        return value


def _name(work: Callable[..., object]) -> str:
    if isinstance(work, partial):
        work = work.func
    name = f"{work.__module__}.{work.__qualname__}"
    return name.removeprefix("companion.").replace(".<locals>", "").replace(".<lambda>", "")


@dataclass(frozen=True, slots=True)
class _PointedLLM:
    """Passes a point before a request to the model, and when its answer has come."""

    llm: LLM
    points: Points

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        what = "answer" if tools else "summary"
        self.points.pass_(f"before asking: {what}")
        reply = await self.llm.complete(messages, tools, answer_tokens=answer_tokens)
        self.points.pass_(f"after asking: {what}")
        return reply

    async def close(self) -> None:
        await self.llm.close()


@asynccontextmanager
async def _open_models(
    points: Points, open_models: Callable[..., AbstractAsyncContextManager[LLM]], *arguments: Any
) -> AsyncIterator[LLM]:
    async with open_models(*arguments) as llm:
        yield _PointedLLM(llm, points)


def _connect(points: Points, connect: Callable[..., Tx], *arguments: Any, **options: Any) -> Tx:
    """A connection that passes a point at each statement until its schema is up to date."""
    connection = connect(*arguments, **options)
    if not options.get("read_only"):
        connection.set_trace_callback(partial(_begins, points))
    return connection


def _begins(points: Points, statement: str) -> None:
    words = [
        w for line in statement.splitlines() if not line.startswith("--") for w in line.split()
    ]
    if words:
        points.pass_(f"opening: {' '.join(words[:5])}")
