"""Vectors in blocks, held against sqlite-vec's own exact distances."""

from pathlib import Path

import numpy as np

from companion.embedders.protocol import Matrix, normalised
from companion.storage import vector_blocks
from companion.storage.database import Database, Tx
from companion.storage.vector_blocks import BLOCK, Waiting
from tests.support.remembered import MORNING

DIMENSIONS = 256
MANY = 3 * BLOCK + 7


def some_vectors(number: int, seed: int) -> Matrix:
    random = np.random.default_rng(seed)
    return normalised(random.normal(size=(number, DIMENSIONS)).astype(np.float32))


def keep(tx: Tx, person: int, vectors: Matrix) -> int:
    """Store passages of a person with these vectors, in three batches; gives the model's id."""
    tx.execute(
        "INSERT INTO person (id, name, created_at) VALUES (?, 'A', ?)",
        (person, MORNING.isoformat()),
    )
    model = vector_blocks.use_model(tx, "random")
    made = []
    for number in range(len(vectors)):
        item = person * 1000 + number
        vector_blocks.await_vector(tx, "passage", person=person, item=item)
        (wait,) = tx.execute("SELECT MAX(id) FROM unembedded").fetchone()
        made.append(Waiting(wait, "passage", item, person, ""))
    for some in (slice(0, 10), slice(10, 100), slice(100, None)):
        vector_blocks.add_vectors(tx, model=model, made=made[some], vectors=vectors[some])
    return model


async def test_likeness_is_what_sqlite_vec_says_and_keeps_its_order(tmp_path: Path) -> None:
    ours, theirs, (query,) = some_vectors(MANY, 1), some_vectors(50, 2), some_vectors(1, 3)
    db = await Database.open(tmp_path / "companion.db")

    def work(tx: Tx) -> tuple[list[int], Matrix, list[float]]:
        model = keep(tx, 1, ours)
        keep(tx, 2, theirs)
        ids, cosines = vector_blocks.likeness(tx, "passage", person=1, model=model, query=query)
        exact = [
            1
            - tx.execute(
                "SELECT vec_distance_cosine(?, ?)", (row.tobytes(), query.tobytes())
            ).fetchone()[0]
            for row in ours
        ]
        return ids.tolist(), cosines, exact

    ids, cosines, exact = await db.write(work)
    await db.close()
    assert ids == [1000 + number for number in range(MANY)]
    assert np.allclose(cosines, exact, atol=0.005)
    best = np.argsort(exact)[::-1][:10]
    assert set(np.argsort(cosines)[::-1][:12]) >= set(best)


async def test_a_vector_that_was_removed_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    vectors, (query,) = some_vectors(MANY, 1), some_vectors(1, 3)
    db = await Database.open(tmp_path / "companion.db")

    def work(tx: Tx) -> list[int]:
        model = keep(tx, 1, vectors)
        for item in (1000, 1000 + BLOCK, 1000 + MANY - 1):
            vector_blocks.remove_vector(tx, "passage", person=1, item=item)
        ids, _ = vector_blocks.likeness(tx, "passage", person=1, model=model, query=query)
        return [int(item) for item in ids]

    left = await db.write(work)
    await db.close()
    gone = {1000, 1000 + BLOCK, 1000 + MANY - 1}
    assert left == [1000 + number for number in range(MANY) if 1000 + number not in gone]
