"""What to write about: plans, birthdays, promises and open threads that memory holds, by date.

No model is asked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import Enum
from typing import Literal

from companion.openers import clues
from companion.search.said_days import Named, named_days

EVENING = time(17, 0)
"""From when on it is asked how a day's plan went."""
MORNING = time(8, 0)
LATE = time(18, 0)
"""What begins later than this is asked about on the next day."""
LASTS = timedelta(hours=2)
"""What begins at a time of day is over after so long."""
DAY = timedelta(days=1)
ASKED_FOR = 4 * DAY
"""How long after a plan it is asked how it went."""
LONG = 14 * DAY
"""A plan for a whole month is asked about, but nothing waits for its end."""
PROMISES, THREADS = (1 * DAY, 10 * DAY), (2 * DAY, 21 * DAY)
"""How long after they were said they are come back to: from when, and until when."""
SENTENCE = 300
"""Characters; a longer sentence is a text that somebody pasted."""
_SENTENCES = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n+")

SourceKind = Literal["message", "passage", "context", "summary"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where in memory a text stands: the row's id, and the line of a working context."""

    kind: SourceKind
    id: int
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A text from memory and when it came there, in UTC. `by` is who put it into words."""

    source: Source
    text: str
    said_at: datetime
    by: Literal["person", "companion", "note"]


class Kind(Enum):
    """Why something is worth writing about."""

    BIRTHDAY = "birthday"
    HOW_IT_WENT = "how it went"
    COMING_UP = "coming up"
    PROMISE = "promise"
    OPEN_THREAD = "open thread"
    FACT = "what is known"


WEIGHTS = {
    Kind.BIRTHDAY: 6,
    Kind.HOW_IT_WENT: 5,
    Kind.COMING_UP: 4,
    Kind.PROMISE: 4,
    Kind.OPEN_THREAD: 3,
    Kind.FACT: 1,
}
WEIGHTY = 2
"""An interview, an operation or a wedding weighs so much more."""


@dataclass(frozen=True, slots=True)
class About:
    """What something to write about is drawn from: a sentence in memory, counted from 0, and the
    day that it is about. It says where the words stand, and holds none of them."""

    kind: Kind
    source: Source
    sentence: int
    day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something to write about from `begin` until `end`. `text` was said at `said_at`."""

    about: About
    text: str
    said_at: datetime
    begin: datetime
    end: datetime
    weight: int

    @property
    def kind(self) -> Kind:
        """What sort of matter it is."""
        return self.about.kind

    def is_ripe(self, now: datetime) -> bool:
        """Whether it may be written about by now."""
        return self.begin <= now < self.end


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a remark, and which one of it."""

    remark: Remark
    number: int
    text: str

    @property
    def asks(self) -> bool:
        return self.text.endswith(("?", "？"))

    def makes(
        self,
        kind: Kind,
        begin: datetime,
        end: datetime,
        day: date | None = None,
        more: int = 0,
    ) -> Candidate:
        """Something to write about, `more` weighty than others of its kind."""
        return Candidate(
            about=About(kind, self.remark.source, self.number, day),
            text=self.text,
            said_at=self.remark.said_at,
            begin=begin.astimezone(UTC),
            end=end.astimezone(UTC),
            weight=WEIGHTS[kind] + more,
        )


def candidates(remarks: Iterable[Remark], now: datetime, zone: tzinfo) -> list[Candidate]:
    """All that `remarks` give to write about, now, later, or some time ago."""
    return [
        one
        for remark in remarks
        for number, text in enumerate(sentences(remark.text))
        for one in _of(_Sentence(remark, number, text), now, zone)
    ]


def _of(said: _Sentence, now: datetime, zone: tzinfo) -> Iterator[Candidate]:
    named = named_days(said.text, said.remark.said_at.astimezone(zone))
    if clues.BIRTHDAY.search(said.text):
        for one in named:
            yield from _birthdays(said, one, now, zone)
    elif said.remark.by != "companion" and named and not said.asks:
        for one in named:
            yield from _plan(said, one, zone)
    elif not named:
        yield from _undated(said)


def sentences(text: str) -> list[str]:
    """`text` cut at the ends of its sentences; what is too long to be one is left out."""
    parts = (part.strip().lstrip("-*• ") for part in _SENTENCES.split(text) if part)
    return [part for part in parts if 0 < len(part) <= SENTENCE]


def _at(day: date, clock: time, zone: tzinfo) -> datetime:
    return datetime.combine(day, clock, zone)


def _birthdays(said: _Sentence, named: Named, now: datetime, zone: tzinfo) -> Iterator[Candidate]:
    """The next time that the day comes round; of 29 February in other years the 28th."""
    if named.first != named.last:
        return
    today = now.astimezone(zone).date()
    for year in (today.year, today.year + 1):
        day = _in_year(named.first, year)
        if day >= today:
            own = said.remark.by == "person" and clues.OWN_BIRTHDAY.search(said.text)
            begin = _at(day, MORNING, zone) if own else _at(day - DAY, EVENING, zone)
            yield said.makes(Kind.BIRTHDAY, begin, _at(day + DAY, time(), zone), day)
            return


def _in_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:
        return date(year, 2, 28)


def _plan(said: _Sentence, named: Named, zone: tzinfo) -> Iterator[Candidate]:
    """A day that lay ahead when it was spoken of: looked forward to, then asked about."""
    at = said.remark.said_at.astimezone(zone)
    if named.last < at.date() or clues.CALLED_OFF.search(said.text):
        return
    more = WEIGHTY if clues.WEIGHTY.search(said.text) else 0
    if named.last - named.first > LONG:
        more -= WEIGHTY
    starts = _at(named.first, named.at or time(12), zone)
    eve = _at(named.first - DAY, EVENING, zone)
    if starts > at:
        yield said.makes(Kind.COMING_UP, max(eve, at), starts, named.first, more)
    end = _at(named.last, EVENING, zone) + ASKED_FOR
    yield said.makes(Kind.HOW_IT_WENT, _asked_from(named, zone), end, named.last, more)


def _asked_from(named: Named, zone: tzinfo) -> datetime:
    """The evening after, or the next morning where it begins late."""
    evening = _at(named.last, EVENING, zone)
    if named.at is None:
        return evening
    if named.at >= LATE:
        return _at(named.last + DAY, MORNING, zone)
    return max(evening, _at(named.last, named.at, zone) + LASTS)


def _undated(said: _Sentence) -> Iterator[Candidate]:
    at, ours = said.remark.said_at, said.remark.by == "companion"
    if (clues.OUR_PROMISE if ours else clues.PROMISE).search(said.text):
        begin, end = PROMISES
        yield said.makes(Kind.PROMISE, at + begin, at + end)
    elif ours:
        return
    elif clues.OPEN_THREAD.search(said.text) and not said.asks:
        begin, end = THREADS
        yield said.makes(Kind.OPEN_THREAD, at + begin, at + end)
    elif said.remark.source.kind == "context":
        yield said.makes(Kind.FACT, at, datetime.max.replace(tzinfo=UTC))
