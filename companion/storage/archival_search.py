"""Finds passages by words and meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from companion.embedders.protocol import Embedder, Matrix
from companion.memory.page import Page, cut, pages
from companion.memory.ranking import PASSAGES, Signs, rank
from companion.memory.words import query_terms
from companion.storage.database import Database, Tx
from companion.storage.query_vector import near, query_vector
from companion.storage.search_index import numbers, with_terms
from companion.storage.vector_blocks import Ids


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that a search found. `source` is 'model', 'person' or the name of an upload."""

    id: int
    text: str
    source: str
    created_at: datetime


class ArchivalStorage:
    """The passages that the model or an upload put away for one person, to be searched."""

    def __init__(
        self, db: Database, embedder: Embedder | None, person: int, *, page_size: int = 5
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._person = person
        self._page_size = page_size
        self._shown: tuple[str, list[int]] | None = None

    async def search(self, query: str, *, page: int = 0) -> Page[FoundPassage]:
        """What fits `query` best, best first.

        The pages after the first come from the order that the first was cut from, so that no hit
        shows twice.
        """
        if page and self._shown and self._shown[0] == query:
            hits = self._shown[1]
        else:
            vector = await query_vector(self._embedder, query)
            hits = await self._db.read(lambda tx: self._hits(tx, query, vector).tolist())
            self._shown = (query, hits)
        shown = cut(hits, number=page, size=self._page_size)
        items = await self._db.read(lambda tx: _passages(tx, self._person, shown))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    def _hits(self, tx: Tx, query: str, vector: Matrix | None) -> Ids:
        (listed,) = tx.execute(
            "SELECT group_concat(id) FROM (SELECT id FROM passage WHERE person_id = ? ORDER BY id)",
            (self._person,),
        ).fetchone()
        terms = query_terms(query)
        liked, likeness = near(tx, "passage", self._embedder, self._person, vector)
        signs = Signs(
            ids=numbers(listed),
            terms=with_terms(tx, "passage", person=self._person, terms=terms),
            liked=liked,
            likeness=likeness,
        )
        return rank(signs, PASSAGES)


def _passages(tx: Tx, person: int, ids: Sequence[int]) -> list[FoundPassage]:
    found = []
    for passage in ids:
        row = tx.execute(
            "SELECT text, source, created_at FROM passage WHERE id = ? AND person_id = ?",
            (passage, person),
        ).fetchone()
        if row is not None:
            text, source, created_at = row
            found.append(FoundPassage(passage, text, source, datetime.fromisoformat(created_at)))
    return found
