"""What a search costs as memory grows, and as other people fill the same file."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from companion.embedders.protocol import Embedder
from companion.evaluation.chats import Chat, Turn, read_chats
from companion.evaluation.recall import store
from companion.memory.vectors import Vectorizer
from companion.storage import counts
from companion.storage.database import Database
from companion.storage.erase import purge
from companion.storage.recall_search import RecallStorage

QUERIES = 200
EACH_OTHER = 1000
"""Messages of each of the other people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Times in milliseconds: CPU is of the whole process, wall is what a caller waits."""

    messages: int
    others: int
    cpu_ms: float
    wall_p50_ms: float
    wall_p95_ms: float
    bytes_a_message: float


async def measure_speed(
    path: Path, embedder: Embedder | None, *, messages: int, others: int = 0
) -> Speed:
    """Searches one person's `messages`, made of the turns in `path`, beside `others`."""
    chats = read_chats(path)
    queries = [question.text for chat in chats for question in chat.questions][:QUERIES]
    turns = [turn for chat in chats for turn in chat.turns]
    with TemporaryDirectory() as folder:
        db = await Database.open(Path(folder) / "speed.db")
        try:
            for number in range(others):
                await store(db, _made_up(f"other {number}", turns, EACH_OTHER))
            await _make_vectors(db, embedder)
            before = await _size(db)
            one = await store(db, _made_up("one", turns, messages))
            await _make_vectors(db, embedder)
            grown = await _size(db) - before
            cpu, waits = await _time(RecallStorage(db, embedder, one.person), queries)
        finally:
            await db.close()
    p50, p95 = np.percentile(waits, [50, 95])
    return Speed(
        messages=messages,
        others=others,
        cpu_ms=cpu,
        wall_p50_ms=float(p50),
        wall_p95_ms=float(p95),
        bytes_a_message=grown / messages,
    )


async def _make_vectors(db: Database, embedder: Embedder | None) -> None:
    if embedder is not None:
        await Vectorizer(db, embedder).run_once()


async def _size(db: Database) -> int:
    """The bytes that are in use, once the index is merged: a merge that is under way holds what it
    merges twice."""
    await purge(db)
    return await db.read(counts.bytes_held)


async def _time(recall: RecallStorage, queries: Sequence[str]) -> tuple[float, list[float]]:
    await recall.search(queries[0])
    waits = []
    began = time.process_time()
    for query in queries:
        asked = time.perf_counter()
        await recall.search(query)
        waits.append(1000 * (time.perf_counter() - asked))
    return 1000 * (time.process_time() - began) / len(queries), waits


def _made_up(name: str, turns: Sequence[Turn], count: int) -> Chat:
    """A long chat of these turns, shuffled, a few minutes apart, with pauses."""
    chance = random.Random(name)  # noqa: S311 - the same chat every time
    at = turns[0].said_at
    made = []
    for number in range(count):
        turn = chance.choice(turns)
        at += timedelta(hours=20) if number % 25 == 0 else timedelta(minutes=3)
        made.append(Turn(str(number), turn.speaker, turn.said, at))
    return Chat(name, tuple(made), ())
