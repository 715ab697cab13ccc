"""Runs a companion against the server that plays Telegram and model."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many chats, and how many messages in each."""

    chats: int = 200
    messages: int = 20


def measure(plan: Plan) -> list[Figure]:
    """What came of it: nothing lost, doubled or out of order, and how long answers took."""
    with _server(plan) as address, tempfile.TemporaryDirectory(prefix="companion-") as folder:
        report, cpu = asyncio.run(_serve_all(plan, address, Path(folder)))
    heard: list[list[int]] = report["heard"]
    waits: list[float] = report["waits"]
    whole = set(range(plan.messages))
    number = plan.chats * plan.messages
    return [
        Figure(name="lost", value=sum(len(whole - set(one)) for one in heard), unit="", target=0),
        Figure(
            name="doubled", value=sum(len(one) - len(set(one)) for one in heard), unit="", target=0
        ),
        Figure(
            name="out of order",
            value=sum(1 for one in heard for a, b in pairwise(one) if b < a),
            unit="",
            target=0,
        ),
        Figure(name="answers a second", value=number / report["seconds"], unit=""),
        Figure(name="CPU of an answer", value=1000 * cpu / number, unit="ms"),
        Figure(name="half of the answers came within", value=_share(waits, 0.5), unit="s"),
        Figure(name="95 of 100 answers came within", value=_share(waits, 0.95), unit="s"),
    ]


def _share(waits: list[float], share: float) -> float:
    return waits[min(int(len(waits) * share), len(waits) - 1)]


async def _serve_all(plan: Plan, address: str, folder: Path) -> tuple[dict[str, Any], float]:
    """Be on Telegram until everybody has every answer. The report, and seconds of CPU."""
    settings = Settings.model_validate(
        {
            "models": [{"name": "bench", "base_url": f"{address}/v1"}],
            "embedder": {"kind": "none"},
            "gathering": {"pause_seconds": 0},
            "people": {"hello": ""},
            "telegram": {
                "allowed": list(range(1, plan.chats + 1)),
                "base_url": f"{address}/bot",
            },
        }
    )
    async with open_companion(folder, settings=settings, environ={}) as companion:
        (telegram,) = connect(companion, settings, {"TELEGRAM_BOT_TOKEN": "1:bench"})
        began = time.process_time()
        serving = asyncio.create_task(telegram.run(companion.handle))
        report = asyncio.create_task(asyncio.to_thread(_report, address))
        await asyncio.wait({serving, report}, return_when=asyncio.FIRST_COMPLETED)
        cpu = time.process_time() - began
        await companion.quiet()
        serving.cancel()
        await asyncio.wait({serving})
        return await report, cpu


def _report(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/report", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
        report: dict[str, Any] = json.load(answer)
    return report


@contextmanager
def _server(plan: Plan) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "adapters.telegram.bench.server",
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
