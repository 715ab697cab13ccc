"""Many people at once."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from companion.bench.at_server import cpu_of
from companion.bench.meters import memory, timed
from companion.bench.talk import Talk, a_talk
from companion.bench.texts import Texts
from companion.storage.database import Database, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many people say how much."""

    people: int = 100
    warm_up: int = 3
    turns: int = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How it went. Latencies are in seconds, sorted; `memory` in bytes."""

    turns: int
    wall: float
    cpu: float
    server_cpu: float
    latencies: list[float]
    errors: int
    memory: int


async def measure(server: str, home: Path, plan: Plan) -> Crowd:
    """Have all of them talk, each one's next message coming as soon as the answer is there."""
    async with a_talk(home, server) as talk:
        await asyncio.gather(*(_person(talk, n, plan.warm_up) for n in range(plan.people)))
        await talk.rest()
        server_cpu = cpu_of(server)
        with timed() as span:
            latencies = await asyncio.gather(
                *(_person(talk, n, plan.turns) for n in range(plan.people))
            )
            await talk.companion.quiet()
        server_cpu = cpu_of(server) - server_cpu
        await talk.rest()
        held = memory()
    return Crowd(
        turns=plan.people * plan.turns,
        wall=span.wall,
        cpu=span.cpu,
        server_cpu=server_cpu,
        latencies=sorted(latency for one in latencies for latency in one),
        errors=await _errors(home),
        memory=held,
    )


async def _person(talk: Talk, number: int, turns: int) -> list[float]:
    texts = Texts(seed=100 + number)
    latencies = []
    for _ in range(turns):
        began = time.perf_counter()
        await talk.say(f"Person {number}", texts.message())
        latencies.append(time.perf_counter() - began)
    return latencies


async def _errors(home: Path) -> int:
    """Events that did not end well, and words of apology."""

    def count(tx: Tx) -> int:
        row = tx.execute(
            "SELECT (SELECT COUNT(*) FROM inbox WHERE state <> 'done' OR attempts > 0)"
            " + (SELECT COUNT(*) FROM outbox WHERE state <> 'sent' OR notice)"
        ).fetchone()
        return int(row[0])

    db = await Database.open(home / "companion.db", read_only=True)
    try:
        return await db.read(count)
    finally:
        await db.close()
