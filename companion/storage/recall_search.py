"""Finds what was said: by words, meaning, speaker and date, in one order."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, tzinfo
from functools import cached_property, partial

import numpy as np

from companion.embedders.protocol import Embedder
from companion.search.dates import Named, days_named
from companion.search.page import Page, cut, pages
from companion.search.parts import taken_apart
from companion.search.ranking import MESSAGES, Ranking, Signs, Weights, interleaved, rank
from companion.search.relative_dates import Days
from companion.search.reranker import FIRST, Reranker
from companion.search.second_look import LOOKED_AT, Looked, look_again
from companion.search.windows import windows
from companion.search.words import named_in, query_terms, without_names
from companion.storage import search_index
from companion.storage.database import Database, Tx
from companion.storage.event_days import event_days
from companion.storage.messages import said_by
from companion.storage.query_vector import Asked, Queries, near
from companion.storage.search_index import numbers
from companion.storage.vector_blocks import Ids

NEAREST = 3
"""What stands beside the windows for its meaning alone."""
END = "a"
"""Sorts after every date."""


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that a search found. `parts` is what each sign adds to its score.

    `source` tells where what was said comes from, if it is not the speaker's own.
    """

    id: int
    speaker: str
    said: str
    said_at: datetime
    parts: Mapping[str, float] = field(default_factory=dict)
    source: str = ""

    @property
    def by(self) -> str:
        """Who said it, and where it comes from."""
        return said_by(self.speaker, self.source)


@dataclass(frozen=True, slots=True)
class Window:
    """A hit with the turns around it, in order. `hits` are the ids of all in it that were found."""

    turns: tuple[FoundMessage, ...]
    hits: frozenset[int]


@dataclass(frozen=True, slots=True)
class Windows(Page[Window]):
    """A page of windows. Beside the first page's stands what is `nearest` in meaning, alone, and
    is in none of them: a hint may share no word with what it means."""

    nearest: tuple[FoundMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, and the span of time that it is about."""

    query: str
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True)
class _Found:
    """What was found for a query, among which messages, and where their sittings begin."""

    asked: _Asked
    among: Ids
    sittings: Ids
    ranking: Ranking

    @cached_property
    def windows(self) -> list[list[int]]:
        return windows(self.among, self.sittings, self.ranking.ids.tolist())

    def nearest(self, shown: Sequence[Sequence[int]]) -> list[int]:
        """The ids of what is nearest in meaning alone and is not `shown`."""
        seen = {one for window in shown for one in window}
        return [one for one in self.ranking.nearest.tolist() if one not in seen][:NEAREST]


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
        former: Embedder | None = None,
        weights: Weights = MESSAGES,
        reranker: Reranker | None = None,
    ) -> None:
        """`former` is the embedder before, whose vectors count until there are new ones.

        Windows are put in order by `reranker`, where there is one.
        """
        self._db = db
        self._queries = Queries(embedder, former)
        self._person = person
        self._page_size = page_size
        self._weights = weights.trusting(embedder.trust) if embedder else weights
        self._reranker = reranker
        self._shown: _Found | None = None
        self._windows: tuple[_Found, list[list[int]]] | None = None

    async def search(
        self,
        query: str | None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        page: int = 0,
    ) -> Page[FoundMessage]:
        """What fits `query` best, best first; without a query what was said, oldest first.

        Only what was said at `since` or later and before `until`. Days that the query names
        are those of `now`'s zone, or of UTC, and "last week" says something only with `now`. The
        pages after the first come from the order that the first was cut from, so that no hit
        shows twice.
        """
        found = await self._find(_Asked((query or "").strip(), since, until), now, page)
        hits = found.ranking.ids.tolist()
        shown = cut(hits, number=page, size=self._page_size)
        parts = found.ranking.parts_of(slice(page * self._page_size, (page + 1) * self._page_size))
        known = dict(zip(shown, parts, strict=True))
        items = await self._db.read(lambda tx: _messages(tx, self._person, known))
        return Page(tuple(items), page, pages(len(hits), self._page_size), len(hits))

    async def search_windows(
        self,
        query: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        now: datetime | None = None,
        page: int = 0,
    ) -> Windows:
        """As `search`, with the turns around each hit; no turn shows twice, on whatever page."""
        found = await self._find(_Asked(query.strip(), since, until), now, page)
        hits = frozenset(found.ranking.ids.tolist())
        windows = await self._in_order(found)
        shown = cut(windows, number=page, size=self._page_size)
        nearest = [] if page else found.nearest(shown)

        def read(tx: Tx) -> tuple[list[Window], list[FoundMessage]]:
            turns = [_messages(tx, self._person, {one: {} for one in ids}) for ids in shown]
            items = [Window(tuple(some), hits & {one.id for one in some}) for some in turns]
            return items, _messages(tx, self._person, {one: {} for one in nearest})

        items, besides = await self._db.read(read)
        total = len(windows)
        return Windows(tuple(items), page, pages(total, self._page_size), total, tuple(besides))

    async def _in_order(self, found: _Found) -> list[list[int]]:
        """The windows of `found`, as the model would have them where one is asked."""
        if self._windows is not None and self._windows[0] is found:
            return self._windows[1]
        windows = found.windows
        if self._reranker is not None:
            read = partial(_texts, person=self._person, windows=windows[:FIRST])
            texts = await self._db.read(read)
            query = found.asked.query
            windows = await self._reranker.ordered(self._person, query, windows, texts)
        self._windows = (found, windows)
        return windows

    async def _find(self, asked: _Asked, now: datetime | None, page: int) -> _Found:
        if page and self._shown is not None and self._shown.asked == asked:
            return self._shown
        if asked.query:
            signs, ranking = await self._ranking(asked, now)
            self._shown = _Found(asked, signs.ids, signs.sittings, ranking)
        else:
            ids = await self._db.read(lambda tx: _said(tx, self._person, asked))
            self._shown = _Found(asked, ids, ids, Ranking(ids, {}))
        return self._shown

    async def _ranking(self, asked: _Asked, now: datetime | None) -> tuple[Signs, Ranking]:
        """By the whole query; where it asks for several things, each of them has its turn."""
        signs, ranking = await self._ranking_of(asked, now)
        several = taken_apart(asked.query)
        if not several:
            return signs, ranking
        named = await self._db.read(lambda tx: self._named(tx, asked.query))
        rankings = [ranking]
        for part in several:
            whose = part if named_in(part, named) else " ".join([part, *named])
            rankings.append((await self._ranking_of(replace(asked, query=whose), now))[1])
        return signs, interleaved(rankings)

    async def _ranking_of(self, asked: _Asked, now: datetime | None) -> tuple[Signs, Ranking]:
        signs, rest = await self._db.read(lambda tx: self._signs(tx, asked, now))
        vectors = await self._queries.asked(rest)
        return signs, await self._db.read(lambda tx: self._ranked(tx, asked.query, signs, vectors))

    def _named(self, tx: Tx, query: str) -> list[str]:
        """The speakers whom `query` names; a part that names none means the same ones."""
        return named_in(query, search_index.speakers(tx, self._person))

    def _signs(self, tx: Tx, asked: _Asked, now: datetime | None) -> tuple[Signs, str]:
        """All signs but meaning, and the query without the names of speakers.

        A name says who spoke; as a word it would find the turns that call somebody by it.
        """
        person = self._person
        named = self._named(tx, asked.query)
        rest = without_names(asked.query, named)
        when = _when(tx, person, rest, now)
        terms = search_index.with_terms(tx, "message", person=person, terms=query_terms(rest))
        ids = _said(tx, person, asked)
        zone = now.tzinfo if now and now.tzinfo else UTC
        days = when.days or event_days(tx, person, asked.query, among=ids, zone=zone)
        return Signs(
            ids=ids,
            terms=terms,
            sittings=search_index.sittings(tx, person),
            going_on=search_index.going_on(tx, person),
            spoken=search_index.spoken_by(tx, person=person, named=named),
            dated=_dated(tx, person, days, zone),
            dates_alone=when.alone,
        ), rest

    def _ranked(self, tx: Tx, query: str, signs: Signs, vectors: Asked) -> Ranking:
        liked, likeness = near(tx, "message", self._person, vectors)
        ranking = rank(replace(signs, liked=liked, likeness=likeness), self._weights)
        return look_again(query, ranking, _looked(tx, self._person, ranking), self._weights)


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


def _when(tx: Tx, person: int, query: str, now: datetime | None) -> Named:
    """The days that `query` names; a year that it leaves open is any in which they talked."""
    edge = (
        "SELECT said_at FROM message WHERE person_id = :person AND said <> '' ORDER BY said_at {}"
        " LIMIT 1"
    )
    first, last = tx.execute(
        f"SELECT ({edge.format('ASC')}), ({edge.format('DESC')})", {"person": person}
    ).fetchone()
    years = range(int(first[:4]), int(last[:4]) + 1) if first else ()
    return days_named(query, years=years, today=now.date() if now else None)


def _dated(tx: Tx, person: int, named: Sequence[Days], zone: tzinfo) -> Ids:
    """Ids of what was said on the days that are `named`, in `zone`."""
    found = []
    for days in named:
        (listed,) = tx.execute(
            "SELECT group_concat(id) FROM message"
            " WHERE person_id = ? AND said <> '' AND said_at >= ? AND said_at < ?",
            (person, _midnight(days.first, zone), _midnight(days.after, zone)),
        ).fetchone()
        found.append(numbers(listed))
    return np.unique(np.concatenate([numbers(None), *found]))


def _midnight(day: date, zone: tzinfo) -> str:
    return datetime.combine(day, time.min, zone).astimezone(UTC).isoformat()


def _looked(tx: Tx, person: int, ranking: Ranking) -> list[Looked]:
    """The texts of the first of `ranking`, and of the turns before them."""
    first = ranking.ids[:LOOKED_AT].tolist()
    previous = ranking.previous[:LOOKED_AT].tolist()
    rows = tx.execute(
        "SELECT id, said FROM message WHERE person_id = ?"
        " AND id IN (SELECT value FROM json_each(?))",
        (person, json.dumps([*first, *previous])),
    ).fetchall()
    said = dict(rows)
    return [
        Looked(said.get(one, ""), said.get(before, ""))
        for one, before in zip(first, previous, strict=True)
    ]


def _texts(tx: Tx, *, person: int, windows: Sequence[Sequence[int]]) -> list[str]:
    """What was said in each of `windows`, with when."""
    texts = []
    for ids in windows:
        turns = _messages(tx, person, {one: {} for one in ids})
        said = " / ".join(f"{turn.by}: {turn.said}" for turn in turns)
        texts.append(f"({turns[0].said_at:%d %b %Y}) {said}" if turns else "")
    return texts


def _messages(tx: Tx, person: int, wanted: Mapping[int, Mapping[str, float]]) -> list[FoundMessage]:
    """The messages with the ids of `wanted`, in its order, with their parts."""
    found = []
    for message, parts in wanted.items():
        row = tx.execute(
            "SELECT speaker, said, said_at, source FROM message"
            " WHERE id = ? AND person_id = ? AND said <> ''",
            (message, person),
        ).fetchone()
        if row is not None:
            speaker, said, said_at, source = row
            at = datetime.fromisoformat(said_at)
            found.append(FoundMessage(message, speaker, said, at, parts, source))
    return found
