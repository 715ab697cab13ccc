"""Finds what was said: by words, meaning, speaker and date, in one order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from companion.embedders.protocol import Embedder, Matrix
from companion.memory.dates import date_patterns
from companion.memory.page import Page, cut, pages
from companion.memory.ranking import MESSAGES, Signs, Weights, rank
from companion.memory.words import named_in, query_terms, without_names
from companion.storage import search_index
from companion.storage.database import Database, Tx
from companion.storage.query_vector import near, query_vector
from companion.storage.search_index import numbers
from companion.storage.vector_blocks import Ids

END = "a"
"""Sorts after every date."""


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that a search found."""

    id: int
    speaker: str
    said: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, and the span of time that it is about."""

    query: str
    since: datetime | None
    until: datetime | None


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
        self._shown: tuple[_Asked, list[int]] | None = None

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
        asked = _Asked((query or "").strip(), since, until)
        if page and self._shown and self._shown[0] == asked:
            hits = self._shown[1]
        else:
            hits = (await self._hits(asked)).tolist()
            self._shown = (asked, hits)
        shown = cut(hits, number=page, size=self._page_size)
        items = await self._db.read(lambda tx: _messages(tx, self._person, shown))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    async def _hits(self, asked: _Asked) -> Ids:
        if not asked.query:
            return await self._db.read(lambda tx: _said(tx, self._person, asked))
        signs, rest = await self._db.read(lambda tx: self._signs(tx, asked))
        vector = await query_vector(self._embedder, rest)
        return await self._db.read(lambda tx: self._ranked(tx, signs, vector))

    def _signs(self, tx: Tx, asked: _Asked) -> tuple[Signs, str]:
        """All signs but meaning, and the query without the names of speakers.

        A name says who spoke; as a word it would find the turns that call somebody by it.
        """
        person = self._person
        named = named_in(asked.query, search_index.speakers(tx, person))
        rest = without_names(asked.query, named)
        terms = search_index.with_terms(tx, "message", person=person, terms=query_terms(rest))
        return Signs(
            ids=_said(tx, person, asked),
            terms=terms,
            sittings=search_index.sittings(tx, person),
            spoken=search_index.spoken_by(tx, person=person, named=named),
            dated=_dated(tx, person, date_patterns(asked.query)),
        ), rest

    def _ranked(self, tx: Tx, signs: Signs, vector: Matrix | None) -> Ids:
        liked, likeness = near(tx, "message", self._embedder, self._person, vector)
        return rank(replace(signs, liked=liked, likeness=likeness), self._weights)


def _said(tx: Tx, person: int, asked: _Asked) -> Ids:
    """Ids of what was said in the span, oldest first."""
    (listed,) = tx.execute(
        "SELECT group_concat(id) FROM (SELECT id FROM message"
        " WHERE person_id = :person AND said <> '' AND said_at >= :since AND said_at < :until"
        " ORDER BY said_at, id)",
        {
            "person": person,
            "since": asked.since.astimezone(UTC).isoformat() if asked.since else "",
            "until": asked.until.astimezone(UTC).isoformat() if asked.until else END,
        },
    ).fetchone()
    return numbers(listed)


def _dated(tx: Tx, person: int, patterns: Sequence[str]) -> Ids:
    """Ids of what was said on dates like any of `patterns`."""
    found = []
    for pattern in patterns:
        (listed,) = tx.execute(
            "SELECT group_concat(id) FROM message"
            " WHERE person_id = ? AND said <> '' AND said_at GLOB ?",
            (person, pattern),
        ).fetchone()
        found.append(numbers(listed))
    return np.unique(np.concatenate([numbers(None), *found]))


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
