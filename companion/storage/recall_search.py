"""Finds what was said: by words, meaning, speaker and date, in one order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from companion.embedders.protocol import Embedder, Matrix
from companion.memory.page import Page, cut, pages
from companion.memory.ranking import Signs, Weights, rank
from companion.memory.words import query_terms
from companion.storage.database import Database, Tx
from companion.storage.query_vector import near, query_vector
from companion.storage.search_index import SAID, SPEAKER, numbers, with_terms
from companion.storage.vector_blocks import Ids

MESSAGES = Weights()


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that a search found."""

    id: int
    speaker: str
    said: str
    said_at: datetime


class RecallStorage:
    """Everything a person and the companion said to each other, to be searched.

    Calls, results and alerts are not in it: they have no speaker.
    """

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        person: int,
        *,
        page_size: int = 5,
        weights: Weights = MESSAGES,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._person = person
        self._page_size = page_size
        self._weights = weights
        self._shown: tuple[tuple[object, ...], list[int]] | None = None

    async def search(
        self,
        query: str | None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        page: int = 0,
    ) -> Page[FoundMessage]:
        """What fits `query` best, best first; without a query what was said, oldest first.

        Only what was said at `since` or later and before `until`. The pages after the first
        come from the order that the first was cut from, so that no hit shows twice.
        """
        key = (query, since, until)
        if page and self._shown and self._shown[0] == key:
            hits = self._shown[1]
        else:
            vector = await query_vector(self._embedder, query)
            hits = await self._db.read(
                lambda tx: self._hits(tx, query or "", vector, since, until).tolist()
            )
            self._shown = (key, hits)
        shown = cut(hits, number=page, size=self._page_size)
        items = await self._db.read(lambda tx: _messages(tx, self._person, shown))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    def _hits(
        self,
        tx: Tx,
        query: str,
        vector: Matrix | None,
        since: datetime | None,
        until: datetime | None,
    ) -> Ids:
        ids = _said_between(tx, self._person, since, until)
        if not query.strip():
            return ids
        terms = query_terms(query)
        liked, likeness = near(tx, "message", self._embedder, self._person, vector)
        signs = Signs(
            ids=ids,
            terms=with_terms(tx, "message", person=self._person, mark=SAID, terms=terms),
            speakers=with_terms(tx, "message", person=self._person, mark=SPEAKER, terms=terms),
            liked=liked,
            likeness=likeness,
        )
        return rank(signs, self._weights)


def _said_between(tx: Tx, person: int, since: datetime | None, until: datetime | None) -> Ids:
    """Ids of what was said, oldest first."""
    (listed,) = tx.execute(
        "SELECT group_concat(id) FROM (SELECT id FROM message"
        " WHERE person_id = :person AND said <> '' AND said_at >= :since AND said_at < :until"
        " ORDER BY said_at, id)",
        {
            "person": person,
            "since": since.astimezone(UTC).isoformat() if since else "",
            "until": until.astimezone(UTC).isoformat() if until else "a",
        },
    ).fetchone()
    return numbers(listed)


def _messages(tx: Tx, person: int, ids: Sequence[int]) -> list[FoundMessage]:
    found = []
    for message in ids:
        row = tx.execute(
            "SELECT speaker, said, said_at FROM message"
            " WHERE id = ? AND person_id = ? AND said <> ''",
            (message, person),
        ).fetchone()
        if row is not None:
            speaker, said, said_at = row
            found.append(FoundMessage(message, speaker, said, datetime.fromisoformat(said_at)))
    return found
