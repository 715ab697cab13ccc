"""Runs a companion against a server that plays a platform and the model."""

import asyncio
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from adapters.all import connect
from adapters.bench.people import Crowd
from companion.app import open_companion
from companion.bench.figures import Figure
from companion.settings import Settings

PATIENCE_SECONDS = 1800
WATCHED_EVERY_SECONDS = 0.005
MOST_LAG_MS = 50

CALM = Crowd(chats=5, messages=20, at_once=1, one_slow=True)
"""A few people who wait for their answers, while the model is slow for one of them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A platform to measure on: the module of its server, its settings, and its token.

    `settings` gets who may talk, and the server's address.
    """

    server: str
    settings: Callable[[Sequence[int], str], dict[str, Any]]
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Show:
    """How one crowd was served. `waits` and `lags` are seconds, sorted.

    `busy` is how much of each lag was the event loop's own work, and not other programs'.
    """

    heard: list[list[int]]
    waits: list[float]
    seconds: float
    cpu: float
    lags: list[float]
    busy: list[float]


def measure(stage: Stage, crowd: Crowd, calm: Crowd = CALM) -> list[Figure]:
    """Serve a crowd and then a calm one. Nothing may be lost, doubled or out of order in either."""
    busy, quiet = _show(stage, crowd), _show(stage, calm)
    served = [(crowd, busy), (calm, quiet)]
    number = crowd.chats * crowd.messages
    return [
        _count("lost", sum(_lost(one, show) for one, show in served)),
        _count("doubled", sum(_doubled(show) for _, show in served)),
        _count("out of order", sum(_unordered(show) for _, show in served)),
        Figure(name="answers a second, all at once", value=number / busy.seconds, unit=""),
        Figure(name="CPU of an answer", value=1000 * busy.cpu / number, unit="ms"),
        Figure(name="all at once, half come within", value=_share(busy.waits, 0.5), unit="s"),
        Figure(name="all at once, 95 of 100 within", value=_share(busy.waits, 0.95), unit="s"),
        Figure(name="added to an answer, half", value=1000 * _share(quiet.waits, 0.5), unit="ms"),
        Figure(
            name="added to an answer, 95 of 100", value=1000 * _share(quiet.waits, 0.95), unit="ms"
        ),
        Figure(
            name="longest lag of the event loop while one turn waits for a slow model",
            value=1000 * quiet.lags[-1],
            unit="ms",
            target=MOST_LAG_MS,
        ),
        Figure(
            name="of the longest lags, what the program itself did meanwhile (CPU)",
            value=1000 * max(quiet.busy),
            unit="ms",
            target=MOST_LAG_MS,
        ),
    ]


def _count(name: str, value: int) -> Figure:
    return Figure(name=name, value=value, unit="", target=0)


def _lost(crowd: Crowd, show: Show) -> int:
    return sum(len(set(range(crowd.messages)) - set(one)) for one in show.heard)


def _doubled(show: Show) -> int:
    return sum(len(one) - len(set(one)) for one in show.heard)


def _unordered(show: Show) -> int:
    return sum(1 for one in show.heard for a, b in pairwise(one) if b < a)


def _share(values: list[float], share: float) -> float:
    return values[min(int(len(values) * share), len(values) - 1)]


def _show(stage: Stage, crowd: Crowd) -> Show:
    with _server(stage, crowd) as address, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_serve_all(stage, crowd, address, Path(folder)))


async def _serve_all(stage: Stage, crowd: Crowd, address: str, folder: Path) -> Show:
    """Be on the platform until everybody has every answer."""
    settings = Settings.model_validate(
        {
            "models": [{"name": "bench", "base_url": f"http://{address}/v1"}],
            "embedder": {"kind": "none"},
            "gathering": {"pause_seconds": 0},
            **stage.settings(range(1, crowd.chats + 1), address),
        }
    )
    lags: list[tuple[float, float]] = []
    async with open_companion(folder, settings=settings, environ={}) as companion:
        (adapter,) = connect(companion, settings, stage.environ)
        began = time.process_time()
        serving = asyncio.create_task(adapter.run(companion.handle))
        report = asyncio.create_task(asyncio.to_thread(_report, address))
        watching = asyncio.create_task(_watch(lags))
        await asyncio.wait({serving, report}, return_when=asyncio.FIRST_COMPLETED)
        watching.cancel()
        if serving.done():
            serving.result()
        cpu = time.process_time() - began
        await companion.quiet()
        serving.cancel()
        await asyncio.wait({serving, watching})
    late, busy = zip(*lags, strict=True)
    return Show(**await report, cpu=cpu, lags=sorted(late), busy=sorted(busy))


async def _watch(lags: list[tuple[float, float]]) -> None:
    """Note how late the event loop is, again and again, and how much it worked meanwhile."""
    loop = asyncio.get_running_loop()
    while True:
        due, worked = loop.time() + WATCHED_EVERY_SECONDS, time.thread_time()
        await asyncio.sleep(WATCHED_EVERY_SECONDS)
        late = max(loop.time() - due, 0.0)
        lags.append((late, min(late, time.thread_time() - worked)))


def _report(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://{address}/report", timeout=PATIENCE_SECONDS) as answer:
        report: dict[str, Any] = json.load(answer)
    return report


@contextmanager
def _server(stage: Stage, crowd: Crowd) -> Iterator[str]:
    command = [sys.executable, "-m", stage.server, crowd.line()]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:  # noqa: S603 - ourselves
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
