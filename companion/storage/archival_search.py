"""Finds passages by words and meaning; what is true comes before what was."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from companion.embedders.protocol import Embedder
from companion.search.page import Page, cut, pages
from companion.search.ranking import PASSAGES, Ranking, Signs, led, rank
from companion.search.reranker import FIRST, Reranker
from companion.search.words import query_terms
from companion.storage import passages, past_passages
from companion.storage.database import Database, Tx
from companion.storage.passages import Passage
from companion.storage.query_vector import Asked, Queries, near
from companion.storage.search_index import numbers, with_terms


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that a search found. `source` is 'model', 'person' or the name of an upload, and
    `parts` what each sign adds to its score. Since `until` it is past, if ever; `now` is what is
    true in its place, where that is known."""

    id: int
    text: str
    source: str
    created_at: datetime
    parts: Mapping[str, float] = field(default_factory=dict)
    until: datetime | None = None
    now: str | None = None


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
        reranker: Reranker | None = None,
    ) -> None:
        """`former` is the embedder before, whose vectors count until there are new ones."""
        self._db = db
        self._queries = Queries(embedder, former)
        self._person = person
        self._page_size = page_size
        self._reranker = reranker
        self._shown: tuple[str, Ranking] | None = None

    async def search(
        self, query: str, *, page: int = 0, rerank: bool = False
    ) -> Page[FoundPassage]:
        """What fits `query` best, best first; what is past behind what is true in its place.

        With `rerank` a model puts the first in order, where one is configured for that.
        The pages after the first come from the order that the first was cut from, so that no hit
        shows twice.
        """
        if page and self._shown and self._shown[0] == query:
            ranking = self._shown[1]
        else:
            vectors = await self._queries.asked(query)
            ranking = await self._db.read(lambda tx: self._ranked(tx, query, vectors))
            if rerank and self._reranker is not None:
                ranking = await self._reranked(query, ranking, self._reranker)
            self._shown = (query, ranking)
        hits = ranking.ids.tolist()
        shown = cut(hits, number=page, size=self._page_size)
        parts = ranking.parts_of(slice(page * self._page_size, (page + 1) * self._page_size))
        known = dict(zip(shown, parts, strict=True))
        items = await self._db.read(lambda tx: _passages(tx, self._person, known))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    async def _reranked(self, query: str, ranking: Ranking, reranker: Reranker) -> Ranking:
        first: dict[int, dict[str, float]] = {number: {} for number in ranking.ids[:FIRST].tolist()}
        found = await self._db.read(lambda tx: _passages(tx, self._person, first))
        places = range(len(ranking.ids))
        texts = [one.text for one in found]
        order = await reranker.ordered(self._person, query, places, texts)
        moved = ranking.in_order(order)
        return await self._db.read(
            lambda tx: led(moved, past_passages.successors(tx, self._person))
        )

    async def near(self, text: str, most: int) -> list[Passage]:
        """Those notes of the model and the person that fit `text` best, the true ones only."""
        vectors = await self._queries.asked(text)

        def work(tx: Tx) -> list[Passage]:
            found = (
                passages.get(tx, self._person, number)
                for number in self._ranked(tx, text, vectors).ids.tolist()
            )
            notes = (one for one in found if one and one.is_a_note and one.until is None)
            return list(islice(notes, most))

        return await self._db.read(work)

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
        return led(rank(signs, PASSAGES), past_passages.successors(tx, self._person))


def _passages(tx: Tx, person: int, wanted: Mapping[int, Mapping[str, float]]) -> list[FoundPassage]:
    """The passages with the ids of `wanted`, in its order, with their parts."""
    successors = past_passages.successors(tx, person)
    found = []
    for number, parts in wanted.items():
        one = passages.get(tx, person, number)
        if one is not None:
            true = passages.get(tx, person, successors[number]) if number in successors else None
            now = true.text if true else None
            found.append(
                FoundPassage(one.id, one.text, one.source, one.told_at, parts, one.until, now)
            )
    return found
