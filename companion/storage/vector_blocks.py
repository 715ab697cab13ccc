"""Vectors as they are kept: eight bits a number, 64 of one person's in a row.

A search compares all of a person's vectors, exactly. What that costs is reading rows, so a row
holds many: 10,000 vectors of 256 numbers are read and compared in a quarter of the time that a
row each takes with sqlite-vec (docs/decisions/0040-vectors-in-blocks.md).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from companion.embedders.protocol import Matrix
from companion.storage.database import Tx

Kind = Literal["message", "passage"]
Ids = npt.NDArray[np.int64]

BLOCK = 64
"""Vectors in a row."""
AT_ONCE = 1024
"""Vectors compared in one go: what stays in the processor's cache while it is at it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text without a vector. `id` is this wait's own: a text that changes waits anew."""

    id: int
    kind: Kind
    item: int
    person: int
    text: str


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Some vectors as they are kept: a scale times its row of whole numbers is the vector."""

    items: Ids
    scales: npt.NDArray[np.float32]
    rows: npt.NDArray[np.int8]

    @classmethod
    def read(cls, items: bytes, scales: bytes, rows: bytes) -> Self:
        numbers = np.frombuffer(rows, "i1")
        count = len(items) // 8
        return cls(_ids(items), np.frombuffer(scales, "<f4"), numbers.reshape(count, -1))

    def only(self, which: slice | npt.NDArray[np.bool_]) -> Self:
        return type(self)(self.items[which], self.scales[which], self.rows[which])

    def with_more(self, more: Self) -> Self:
        return type(self)(
            np.concatenate([self.items, more.items]),
            np.concatenate([self.scales, more.scales]),
            np.concatenate([self.rows, more.rows]),
        )

    def columns(self) -> tuple[bytes, bytes, bytes]:
        return self.items.tobytes(), self.scales.tobytes(), self.rows.tobytes()


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


def models(tx: Tx) -> list[str]:
    """The names of the models that made the vectors there are."""
    return [name for (name,) in tx.execute("SELECT name FROM embedding_model ORDER BY id")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the vectors of the model in use are; None before the first was made."""

    model: str | None
    made: int
    waiting: int


def progress(tx: Tx) -> Progress:
    """How many texts have their vector under the model in use, and how many wait for one."""
    row = tx.execute("SELECT name FROM embedding_model WHERE current").fetchone()
    (made,) = tx.execute(
        "SELECT COALESCE(SUM(length(items) / 8), 0) FROM vector_block"
        " WHERE model_id = (SELECT id FROM embedding_model WHERE current)"
    ).fetchone()
    (waits,) = tx.execute("SELECT COUNT(*) FROM unembedded").fetchone()
    return Progress(model=row[0] if row else None, made=made, waiting=waits)


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


def add_vectors(tx: Tx, *, model: int, made: Sequence[Waiting], vectors: Matrix) -> None:
    """Keep the vectors of `made`, a row each, except of texts that changed or went meanwhile."""
    rows_of = defaultdict[tuple[int, Kind], list[int]](list)
    for row in sorted(range(len(made)), key=lambda row: made[row].item):
        one = made[row]
        if tx.execute("DELETE FROM unembedded WHERE id = ?", (one.id,)).rowcount:
            rows_of[one.person, one.kind].append(row)
    scales, numbers = _quantised(vectors)
    for (person, kind), rows in rows_of.items():
        items = np.array([made[row].item for row in rows], "<i8")
        new = _Vectors(items, scales[rows], numbers[rows])
        _append(tx, (person, kind, model), new)


def remove_vector(tx: Tx, kind: Kind, *, person: int, item: int) -> None:
    """Forget the vectors of `item` under every model, and that it waits for one."""
    tx.execute(
        "DELETE FROM unembedded WHERE kind = ? AND item_id = ? AND person_id = ?",
        (kind, item, person),
    )
    blocks = tx.execute(
        "SELECT id, items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND instr(items, ?)",
        (person, kind, np.int64(item).tobytes()),
    ).fetchall()
    for block, *columns in blocks:
        held = _Vectors.read(*columns)
        kept = held.only(held.items != item)
        if len(kept.items):
            _update(tx, block, kept)
        else:
            tx.execute("DELETE FROM vector_block WHERE id = ?", (block,))


def split(tx: Tx, kind: Kind, *, person: int, to: int, items: Ids) -> None:
    """The vectors of `items` are those of the person `to` from now on."""
    blocks = tx.execute(
        "SELECT id, model_id, items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ?",
        (person, kind),
    ).fetchall()
    for block, model, *columns in blocks:
        held = _Vectors.read(*columns)
        going = np.isin(held.items, items)
        if not going.any():
            continue
        _append(tx, (to, kind, model), held.only(going))
        if going.all():
            tx.execute("DELETE FROM vector_block WHERE id = ?", (block,))
        else:
            _update(tx, block, held.only(~going))


def likeness(
    tx: Tx, kind: Kind, *, person: int, model: int, query: Matrix
) -> tuple[Ids, npt.NDArray[np.float32]]:
    """The ids of all that has a vector, and the cosine of each with the vector `query`."""
    blocks = tx.execute(
        "SELECT items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND model_id = ?"
        # an endpoint may put another model behind the same name
        " AND length(vectors) = length(items) / 8 * ?",
        (person, kind, model, len(query)),
    ).fetchall()
    ids = _ids(b"".join(items for items, _, _ in blocks))
    scales = np.frombuffer(b"".join(scales for _, scales, _ in blocks), "<f4")
    numbers = np.frombuffer(b"".join(vectors for _, _, vectors in blocks), "i1")
    rows = numbers.reshape(-1, len(query))
    cosines = np.empty(len(rows), np.float32)
    for begin in range(0, len(rows), AT_ONCE):
        some = slice(begin, begin + AT_ONCE)
        np.dot(rows[some].astype(np.float32), query, out=cosines[some])
    cosines *= scales
    return ids, cosines


def _append(tx: Tx, key: tuple[int, Kind, int], new: _Vectors) -> None:
    """Fill up the last row of this person, kind and model, then begin more."""
    last = tx.execute(
        "SELECT id, items, scales, vectors FROM vector_block"
        " WHERE person_id = ? AND kind = ? AND model_id = ?"
        # as in `likeness`: those of another size stay apart
        " AND length(vectors) = length(items) / 8 * ? ORDER BY id DESC LIMIT 1",
        (*key, new.rows.shape[1]),
    ).fetchone()
    begin = 0
    if last is not None:
        block, *columns = last
        held = _Vectors.read(*columns)
        begin = max(BLOCK - len(held.items), 0)
        if begin:
            _update(tx, block, held.with_more(new.only(slice(begin))))
    for at in range(begin, len(new.items), BLOCK):
        tx.execute(
            "INSERT INTO vector_block (person_id, kind, model_id, items, scales, vectors)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (*key, *new.only(slice(at, at + BLOCK)).columns()),
        )


def _update(tx: Tx, block: int, vectors: _Vectors) -> None:
    tx.execute(
        "UPDATE vector_block SET items = ?, scales = ?, vectors = ? WHERE id = ?",
        (*vectors.columns(), block),
    )


def _ids(items: bytes) -> Ids:
    return np.frombuffer(items, "<i8")


def _quantised(vectors: Matrix) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Scales and whole numbers: scale times numbers is the vector, within half a scale."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
    safe = np.where(scales > 0, scales, 1)[:, None]
    return scales, np.rint(vectors / safe).astype("i1")
