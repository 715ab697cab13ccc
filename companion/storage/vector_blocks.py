"""Vectors as they are kept: eight bits a number, 64 of one person's in a row.

A search compares all of a person's vectors, exactly. What that costs is reading rows, so a row
holds many: 10,000 vectors of 256 numbers are read and compared in a quarter of the time that a
row each takes with sqlite-vec (docs/decisions/0040-vectors-in-blocks.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from companion.embedders.protocol import Matrix
from companion.storage.database import Tx

Kind = Literal["message", "passage"]
Ids = npt.NDArray[np.int64]

BLOCK = 64


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text without a vector. `id` is this wait's own: a text that changes waits anew."""

    id: int
    kind: Kind
    item: int
    person: int
    text: str


def use_model(tx: Tx, name: str) -> int:
    """Make `name` the model in use and return its id; what it has no vector for then waits.

    Vectors of the model before are kept until `drop_old_models`.
    """
    row = tx.execute("SELECT id, current FROM embedding_model WHERE name = ?", (name,)).fetchone()
    if row is not None and row[1]:
        return int(row[0])
    tx.execute("UPDATE embedding_model SET current = 0")
    tx.execute(
        "INSERT INTO embedding_model (name, current) VALUES (?, 1)"
        " ON CONFLICT (name) DO UPDATE SET current = 1",
        (name,),
    )
    (model,) = tx.execute("SELECT id FROM embedding_model WHERE name = ?", (name,)).fetchone()
    _await_all_without(tx, int(model))
    return int(model)


def _await_all_without(tx: Tx, model: int) -> None:
    tx.execute(
        "INSERT OR IGNORE INTO unembedded (kind, item_id, person_id)"
        " SELECT 'message', id, person_id FROM message WHERE said <> ''"
        " UNION ALL SELECT 'passage', id, person_id FROM passage"
    )
    blocks = tx.execute("SELECT kind, items FROM vector_block WHERE model_id = ?", (model,))
    for kind, items in blocks.fetchall():
        tx.executemany(
            "DELETE FROM unembedded WHERE kind = ? AND item_id = ?",
            [(kind, item) for item in _ids(items).tolist()],
        )


def drop_old_models(tx: Tx) -> None:
    """Forget the vectors of models that are no longer in use."""
    tx.execute(
        "DELETE FROM vector_block"
        " WHERE model_id IN (SELECT id FROM embedding_model WHERE NOT current)"
    )
    tx.execute("DELETE FROM embedding_model WHERE NOT current")


def current_model(tx: Tx, name: str) -> int | None:
    """The id of the model called `name`, or None before it has made a vector."""
    row = tx.execute("SELECT id FROM embedding_model WHERE name = ?", (name,)).fetchone()
    return None if row is None else int(row[0])


def await_vector(tx: Tx, kind: Kind, *, person: int, item: int) -> None:
    """Note that the text of `item` waits for its vector."""
    tx.execute(
        "INSERT INTO unembedded (kind, item_id, person_id) VALUES (?, ?, ?)",
        (kind, item, person),
    )


def waiting(tx: Tx, limit: int) -> list[Waiting]:
    """The newest texts without a vector, at most `limit`."""
    rows = tx.execute(
        "SELECT unembedded.id, unembedded.kind, item_id, unembedded.person_id,"
        " COALESCE(message.said, passage.text, '')"
        " FROM unembedded"
        " LEFT JOIN message ON unembedded.kind = 'message' AND message.id = item_id"
        " LEFT JOIN passage ON unembedded.kind = 'passage' AND passage.id = item_id"
        " ORDER BY unembedded.id DESC LIMIT ?",
        (limit,),
    )
    return [Waiting(*row) for row in rows]


def add_vectors(tx: Tx, model: int, made: Sequence[Waiting], vectors: Matrix) -> None:
    """Keep the vectors of `made`, a row each, except of texts that changed or went meanwhile."""
    scales, numbers = _quantised(vectors)
    for row, one in sorted(enumerate(made), key=lambda pair: pair[1].item):
        claimed = tx.execute("DELETE FROM unembedded WHERE id = ?", (one.id,)).rowcount
        if claimed:
            _append(tx, model, one, scales[row], numbers[row])


def remove_vector(tx: Tx, kind: Kind, *, person: int, item: int) -> None:
    """Forget the vectors of `item` under every model, and that it waits for one."""
    tx.execute("DELETE FROM unembedded WHERE kind = ? AND item_id = ?", (kind, item))
    blocks = tx.execute(
        "SELECT id, items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND instr(items, ?)",
        (person, kind, np.int64(item).tobytes()),
    )
    for block, items, scales, vectors in blocks.fetchall():
        kept = _ids(items) != item
        width = len(vectors) // len(kept)
        tx.execute(
            "UPDATE vector_block SET items = ?, scales = ?, vectors = ? WHERE id = ?",
            (
                _ids(items)[kept].tobytes(),
                np.frombuffer(scales, "<f4")[kept].tobytes(),
                np.frombuffer(vectors, "i1").reshape(-1, width)[kept].tobytes(),
                block,
            ),
        )
    tx.execute("DELETE FROM vector_block WHERE person_id = ? AND items = X''", (person,))


def likeness(
    tx: Tx, kind: Kind, *, person: int, model: int, query: Matrix
) -> tuple[Ids, npt.NDArray[np.float32]]:
    """The ids of all that has a vector, and the cosine of each with the vector `query`."""
    blocks = tx.execute(
        "SELECT items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND model_id = ?",
        (person, kind, model),
    ).fetchall()
    ids = _ids(b"".join(items for items, _, _ in blocks))
    scales = np.frombuffer(b"".join(scales for _, scales, _ in blocks), "<f4")
    cosines = [
        np.frombuffer(vectors, "i1").reshape(-1, len(query)).astype(np.float32) @ query
        for _, _, vectors in blocks
    ]
    return ids, np.concatenate([*cosines, np.zeros(0, np.float32)]) * scales


def _append(
    tx: Tx, model: int, one: Waiting, scale: np.float32, numbers: npt.NDArray[np.int8]
) -> None:
    key = (one.person, one.kind, model)
    last = tx.execute(
        "SELECT id, items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND model_id = ? ORDER BY id DESC LIMIT 1",
        key,
    ).fetchone()
    more = (np.int64(one.item).tobytes(), scale.tobytes(), numbers.tobytes())
    if last is None or len(last[1]) >= BLOCK * 8:
        tx.execute(
            "INSERT INTO vector_block (person_id, kind, model_id, items, scales, vectors)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (*key, *more),
        )
    else:
        block, *columns = last
        tx.execute(
            "UPDATE vector_block SET items = ?, scales = ?, vectors = ? WHERE id = ?",
            (*(old + new for old, new in zip(columns, more, strict=True)), block),
        )


def _ids(items: bytes) -> Ids:
    return np.frombuffer(items, "<i8")


def _quantised(vectors: Matrix) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Scales and whole numbers: scale times numbers is the vector, within half a scale."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
    safe = np.where(scales > 0, scales, 1)[:, None]
    return scales, np.rint(vectors / safe).astype("i1")
