"""Finds passages by words and meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from companion.embedders.protocol import Embedder
from companion.memory.page import Page, cut, pages
from companion.memory.ranking import PASSAGES, Ranking, Signs, rank
from companion.memory.words import query_terms
from companion.storage.database import Database, Tx
from companion.storage.query_vector import Asked, Queries, near
from companion.storage.search_index import numbers, with_terms


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that a search found. `source` is 'model', 'person' or the name of an upload, and
    `parts` what each sign adds to its score."""

    id: int
    text: str
    source: str
    created_at: datetime
    parts: Mapping[str, float] = field(default_factory=dict)


class ArchivalStorage:
    """The passages that the model or an upload put away for one person, to be searched."""

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        person: int,
        *,
        page_size: int = 5,
        former: Embedder | None = None,
    ) -> None:
        """`former` is the embedder before, whose vectors count until there are new ones."""
        self._db = db
        self._queries = Queries(embedder, former)
        self._person = person
        self._page_size = page_size
        self._shown: tuple[str, Ranking] | None = None

    async def search(self, query: str, *, page: int = 0) -> Page[FoundPassage]:
        """What fits `query` best, best first.

        The pages after the first come from the order that the first was cut from, so that no hit
        shows twice.
        """
        if page and self._shown and self._shown[0] == query:
            ranking = self._shown[1]
        else:
            vectors = await self._queries.asked(query)
            ranking = await self._db.read(lambda tx: self._ranked(tx, query, vectors))
            self._shown = (query, ranking)
        hits = ranking.ids.tolist()
        shown = cut(hits, number=page, size=self._page_size)
        parts = ranking.parts_of(slice(page * self._page_size, (page + 1) * self._page_size))
        known = dict(zip(shown, parts, strict=True))
        items = await self._db.read(lambda tx: _passages(tx, self._person, known))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    def _ranked(self, tx: Tx, query: str, vectors: Asked) -> Ranking:
        (listed,) = tx.execute(
            "SELECT group_concat(id) FROM (SELECT id FROM passage WHERE person_id = ? ORDER BY id)",
            (self._person,),
        ).fetchone()
        terms = query_terms(query)
        liked, likeness = near(tx, "passage", self._person, vectors)
        signs = Signs(
            ids=numbers(listed),
            terms=with_terms(tx, "passage", person=self._person, terms=terms),
            liked=liked,
            likeness=likeness,
        )
        return rank(signs, PASSAGES)


def _passages(tx: Tx, person: int, wanted: Mapping[int, Mapping[str, float]]) -> list[FoundPassage]:
    """The passages with the ids of `wanted`, in its order, with their parts."""
    found = []
    for passage, parts in wanted.items():
        row = tx.execute(
            "SELECT text, source, created_at FROM passage WHERE id = ? AND person_id = ?",
            (passage, person),
        ).fetchone()
        if row is not None:
            text, source, created_at = row
            at = datetime.fromisoformat(created_at)
            found.append(FoundPassage(passage, text, source, at, parts))
    return found
