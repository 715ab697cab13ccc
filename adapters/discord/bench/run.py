"""Runs a companion against the server that plays Discord and model."""

import asyncio
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from adapters.all import connect
from companion.app import open_companion
from companion.bench.figures import Figure
from companion.settings import Settings

PATIENCE_SECONDS = 600
WATCHED_EVERY_SECONDS = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many chats, and how many messages in each."""

    chats: int = 200
    messages: int = 20


def measure(plan: Plan) -> list[Figure]:
    """What came of it: nothing lost, doubled or out of order, and how long answers took."""
    with _server(plan) as address, tempfile.TemporaryDirectory(prefix="companion-") as folder:
        report, cpu, lags = asyncio.run(_serve_all(plan, address, Path(folder)))
    heard: list[list[int]] = report["heard"]
    waits: list[float] = report["waits"]
    whole = set(range(plan.messages))
    number = plan.chats * plan.messages
    doubled = sum(len(one) - len(set(one)) for one in heard)
    unordered = sum(1 for one in heard for a, b in pairwise(one) if b < a)
    return [
        Figure(name="lost", value=sum(len(whole - set(one)) for one in heard), unit="", target=0),
        Figure(name="doubled", value=doubled, unit="", target=0),
        Figure(name="out of order", value=unordered, unit="", target=0),
        Figure(name="answers a second", value=number / report["seconds"], unit=""),
        Figure(name="CPU of an answer", value=1000 * cpu / number, unit="ms"),
        Figure(name="half of the answers came within", value=_share(waits, 0.5), unit="s"),
        Figure(name="95 of 100 answers came within", value=_share(waits, 0.95), unit="s"),
        Figure(name="lag of the event loop, 99 of 100", value=1000 * _share(lags, 0.99), unit="ms"),
    ]


def _share(values: list[float], share: float) -> float:
    return values[min(int(len(values) * share), len(values) - 1)]


async def _serve_all(
    plan: Plan, address: str, folder: Path
) -> tuple[dict[str, Any], float, list[float]]:
    """Be on Discord until everybody has every answer. The report, seconds of CPU, and lags."""
    settings = Settings.model_validate(
        {
            "models": [{"name": "bench", "base_url": f"http://{address}/v1"}],
            "embedder": {"kind": "none"},
            "gathering": {"pause_seconds": 0},
            "people": {"hello": ""},
            "discord": {
                "allowed": list(range(1, plan.chats + 1)),
                "api_base": f"http://{address}/api/v10",
                "gateway": f"ws://{address}/gateway",
            },
        }
    )
    lags: list[float] = []
    async with open_companion(folder, settings=settings, environ={}) as companion:
        (discord,) = connect(companion, settings, {"DISCORD_BOT_TOKEN": "bench"})
        began = time.process_time()
        serving = asyncio.create_task(discord.run(companion.handle))
        watching = asyncio.create_task(_watch(lags))
        report = asyncio.create_task(asyncio.to_thread(_report, f"http://{address}"))
        await asyncio.wait({serving, report}, return_when=asyncio.FIRST_COMPLETED)
        cpu = time.process_time() - began
        await companion.quiet()
        for task in (watching, serving):
            task.cancel()
        await asyncio.wait({watching, serving})
        return await report, cpu, sorted(lags)


async def _watch(lags: list[float]) -> None:
    """Note how late the event loop is, again and again."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + WATCHED_EVERY_SECONDS
        await asyncio.sleep(WATCHED_EVERY_SECONDS)
        lags.append(max(loop.time() - due, 0.0))


def _report(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/report", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
        report: dict[str, Any] = json.load(answer)
    return report


@contextmanager
def _server(plan: Plan) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "adapters.discord.bench.server",
        str(plan.chats),
        str(plan.messages),
    ]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:  # noqa: S603 - ourselves
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
