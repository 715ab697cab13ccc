"""Everything that `companion bench turn` measures, one kind after the other.

Each kind runs in a fresh process. All of them, and the scripted server, share one core.
"""

import asyncio
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Self, TypeVar

from companion.bench import crowd, long_talk, prompts, start
from companion.bench.crowd import Crowd
from companion.bench.figures import Figure
from companion.bench.long_talk import LongTalk
from companion.bench.prompts import Prompts
from companion.bench.start import Start

P = TypeVar("P")
R = TypeVar("R")

MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is done of each."""

    one: long_talk.Plan = field(default_factory=long_talk.Plan)
    many: crowd.Plan = field(default_factory=crowd.Plan)
    sent: prompts.Plan = field(default_factory=prompts.Plan)
    starts: int = 5

    @classmethod
    def quick(cls) -> Self:
        """Enough to see that everything works; the figures mean little."""
        return cls(
            one=long_talk.Plan(turns=60, block=5, rounds=2),
            many=crowd.Plan(people=20, warm_up=1, turns=3),
            sent=prompts.Plan(turns=60),
            starts=1,
        )


def measure(plan: Plan, tell: Callable[[str], None]) -> list[Figure]:
    """All figures. `tell` hears what is being measured."""
    with _one_core():
        tell("start and idle memory")
        with scripted_server() as (server, folder):
            started = start.measure(server, folder, plan.starts)
        tell(f"the prompts of {plan.sent.turns} turns")
        sent = _apart(prompts.measure, plan.sent, edit_every=10)
        tell(f"{plan.many.people} people at once")
        crowded = _apart(crowd.measure, plan.many)
        tell(f"one person, {plan.one.turns} turns")
        talked = _apart(long_talk.measure, plan.one)
    return [
        *_of_a_turn(talked),
        *_of_a_crowd(crowded),
        *_of_prompts(sent),
        *_of_a_start(started),
    ]


def _of_a_turn(talked: LongTalk) -> list[Figure]:
    late = [cpu / floor for cpu, floor in zip(talked.late_cpu, talked.late_floor_cpu, strict=True)]
    grown = [late / early for late, early in zip(talked.late_cpu, talked.early_cpu, strict=True)]
    return [
        _over("CPU of a late turn, times its floor", late, "", 1.5),
        _over("CPU of a late turn, times an early one", grown, "", 1.3),
        _over("CPU of a late turn", [1000 * cpu for cpu in talked.late_cpu], "ms"),
        _over("CPU of its floor", [1000 * cpu for cpu in talked.late_floor_cpu], "ms"),
        _over("CPU of an early turn", [1000 * cpu for cpu in talked.early_cpu], "ms"),
        _over("time added to the request", [1000 * wall for wall in talked.added_wall], "ms", 20),
        Figure(
            name="database of 1,000 messages", value=talked.database_bytes / MB, unit="MB", target=3
        ),
    ]


def _of_a_crowd(crowded: Crowd) -> list[Figure]:
    tail = crowded.latencies[int(len(crowded.latencies) * 0.95)]
    cpu = crowded.cpu + crowded.server_cpu
    return [
        Figure(
            name="turns a second of many people",
            value=crowded.turns / crowded.wall,
            unit="",
            target=150,
            kind="at least",
        ),
        Figure(
            name="turns a second of CPU, the server's included", value=crowded.turns / cpu, unit=""
        ),
        Figure(name="of them failed", value=crowded.errors, unit="", target=0),
        Figure(name="95 of 100 answers came within", value=tail, unit="s", target=1),
        Figure(name="memory with many people", value=crowded.memory / MB, unit="MB", target=180),
    ]


def _of_prompts(sent: Prompts) -> list[Figure]:
    return [
        Figure(
            name="equal leading part of the prompt, bytes",
            value=100 * sent.equal_bytes,
            unit="%",
            target=97,
            kind="at least",
        ),
        Figure(name="the same in tokens", value=100 * sent.equal_tokens, unit="%"),
        Figure(name="the same, mean of all requests", value=100 * sent.equal_mean, unit="%"),
        Figure(name="uncached tokens a turn", value=sent.uncached_per_turn, unit="", target=300),
        Figure(name="model calls a turn", value=sent.requests_per_turn, unit="", target=1.2),
        Figure(name="flushes meanwhile", value=sent.flushes, unit=""),
    ]


def _of_a_start(started: Start) -> list[Figure]:
    return [
        _over("start to ready", started.seconds, "s", 1.5),
        _over("CPU of that", started.cpu, "s"),
        _over("memory when idle", [held / MB for held in started.idle_bytes], "MB", 110),
    ]


def _over(name: str, values: Sequence[float], unit: str, target: float | None = None) -> Figure:
    """The median of repetitions, and how far they lie apart."""
    return Figure(
        name=name,
        value=median(values),
        unit=unit,
        target=target,
        lowest=min(values),
        highest=max(values),
    )


def _apart(measured: Callable[[str, Path, P], Awaitable[R]], plan: P, *, edit_every: int = 20) -> R:
    """What `measured` gives, in a process of its own, with a server and a home of its own."""
    with (
        scripted_server(edit_every) as (server, folder),
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
    ):
        return pool.submit(_run, measured, server, folder, plan).result()


def _run(measured: Callable[[str, Path, P], Awaitable[R]], server: str, folder: Path, plan: P) -> R:
    async def run() -> R:
        return await measured(server, folder, plan)

    return asyncio.run(run())


@contextmanager
def scripted_server(edit_every: int = 20) -> Iterator[tuple[str, Path]]:
    """A scripted server's address, and an empty folder."""
    command = [sys.executable, "-m", "companion.bench.server", "--edit-every", str(edit_every)]
    with (
        TemporaryDirectory(prefix="companion-bench-") as folder,
        subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip(), Path(folder)
        finally:
            server.stdin.close()


@contextmanager
def _one_core() -> Iterator[None]:
    """Everything that is started meanwhile shares a core, where the system lets us choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
