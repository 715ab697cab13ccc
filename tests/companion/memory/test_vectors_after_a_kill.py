"""`kill -9` while the vectors are made again after a change of embedder."""

from pathlib import Path

import pytest

from companion.home import Home
from companion.storage.database import Database, Tx
from tests.companion.portable.test_kills import KILLED, lived, lives
from tests.support.killed_child import Life
from tests.support.remembered import TopicEmbedder, remembering

TEXTS = 1500
DEATHS = 8


def kept(tx: Tx) -> dict[str, tuple[int, int]]:
    """How many vectors there are under each model, and of how many texts."""
    found: dict[str, list[int]] = {}
    rows = tx.execute(
        "SELECT name, items FROM vector_block JOIN embedding_model ON embedding_model.id = model_id"
    )
    for name, items in rows:
        numbers = [bytes(items[at : at + 8]) for at in range(0, len(items), 8)]
        found.setdefault(name, []).extend(int.from_bytes(one, "little") for one in numbers)
    return {name: (len(ids), len(set(ids))) for name, ids in found.items()}


@pytest.mark.timeout(0)
async def test_none_is_lost_or_doubled_whenever_it_is_killed(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.make()
    async with remembering(home.path, TopicEmbedder("dog", name="old")) as memory:
        await memory.hear(*(f"dog {number}" for number in range(TEXTS)))
        await memory.embed()
        assert await memory.db.read(kept) == {"old": (TEXTS, TEXTS)}
    with lives() as process:
        codes = [
            lived(process, Life(str(home.path), kill_in=0.05 + 0.1 * number))
            for number in range(DEATHS)
        ]
        assert KILLED in codes
        assert lived(process, Life(str(home.path))) == 0
    db = await Database.open(home.database)
    try:
        assert list((await db.read(kept)).values()) == [(TEXTS, TEXTS)]
        assert "old" not in await db.read(kept)
    finally:
        await db.close()
