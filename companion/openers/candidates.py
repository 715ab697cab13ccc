"""What to write about: plans, birthdays, promises and open threads that memory holds, by date.

No model is asked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import Enum
from typing import Literal

from companion.memory.said_days import Named, named_days
from companion.openers import clues

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something to write about from `begin` until `end`; `day` is the day that it is about."""

    kind: Kind
    text: str
    source: Source
    said_at: datetime
    begin: datetime
    end: datetime
    weight: int
    day: date | None = None

    def is_ripe(self, now: datetime) -> bool:
        return self.begin <= now < self.end


def candidates(remarks: Iterable[Remark], now: datetime, zone: tzinfo) -> list[Candidate]:
    """All that `remarks` give to write about, now, later, or some time ago."""
    return [one for remark in remarks for one in _of(remark, now, zone)]


def _of(remark: Remark, now: datetime, zone: tzinfo) -> Iterator[Candidate]:
    for sentence in sentences(remark.text):
        named = named_days(sentence, remark.said_at.astimezone(zone))
        if clues.BIRTHDAY.search(sentence):
            for one in named:
                yield from _birthdays(remark, sentence, one, now, zone)
        elif remark.by != "companion" and named and not sentence.endswith(("?", "？")):
            for one in named:
                yield from _plan(remark, sentence, one, zone)
        elif not named:
            yield from _undated(remark, sentence)


def sentences(text: str) -> list[str]:
    """`text` cut at the ends of its sentences; what is too long to be one is left out."""
    parts = (part.strip().lstrip("-*• ") for part in _SENTENCES.split(text) if part)
    return [part for part in parts if 0 < len(part) <= SENTENCE]


def _made(
    kind: Kind,
    remark: Remark,
    text: str,
    begin: datetime,
    end: datetime,
    day: date | None = None,
    more: int = 0,
) -> Candidate:
    return Candidate(
        kind=kind,
        text=text,
        source=remark.source,
        said_at=remark.said_at,
        begin=begin.astimezone(UTC),
        end=end.astimezone(UTC),
        weight=WEIGHTS[kind] + more,
        day=day,
    )


def _at(day: date, clock: time, zone: tzinfo) -> datetime:
    return datetime.combine(day, clock, zone)


def _birthdays(
    remark: Remark, sentence: str, named: Named, now: datetime, zone: tzinfo
) -> Iterator[Candidate]:
    """The next time that the day comes round; of 29 February in other years the 28th."""
    if named.first != named.last:
        return
    today = now.astimezone(zone).date()
    for year in (today.year, today.year + 1):
        day = _in_year(named.first, year)
        if day >= today:
            own = clues.OWN_BIRTHDAY.search(sentence) is not None and remark.by == "person"
            begin = _at(day, MORNING, zone) if own else _at(day - DAY, EVENING, zone)
            yield _made(Kind.BIRTHDAY, remark, sentence, begin, _at(day + DAY, time(), zone), day)
            return


def _in_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:
        return date(year, 2, 28)


def _plan(remark: Remark, sentence: str, named: Named, zone: tzinfo) -> Iterator[Candidate]:
    """A day that lay ahead when it was spoken of: looked forward to, then asked about."""
    said = remark.said_at.astimezone(zone)
    if named.last < said.date() or clues.CALLED_OFF.search(sentence):
        return
    more = WEIGHTY if clues.WEIGHTY.search(sentence) else 0
    if named.last - named.first > LONG:
        more -= WEIGHTY
    starts = _at(named.first, named.at or time(12), zone)
    eve = _at(named.first - DAY, EVENING, zone)
    if starts > said:
        yield _made(Kind.COMING_UP, remark, sentence, max(eve, said), starts, named.first, more)
    begin = _asked_from(named, zone)
    end = _at(named.last, EVENING, zone) + ASKED_FOR
    yield _made(Kind.HOW_IT_WENT, remark, sentence, begin, end, named.last, more)


def _asked_from(named: Named, zone: tzinfo) -> datetime:
    """The evening after, or the next morning where it begins late."""
    evening = _at(named.last, EVENING, zone)
    if named.at is None:
        return evening
    if named.at >= LATE:
        return _at(named.last + DAY, MORNING, zone)
    return max(evening, _at(named.last, named.at, zone) + LASTS)


def _undated(remark: Remark, sentence: str) -> Iterator[Candidate]:
    said = remark.said_at
    promise = clues.OUR_PROMISE if remark.by == "companion" else clues.PROMISE
    if promise.search(sentence):
        begin, end = PROMISES
        yield _made(Kind.PROMISE, remark, sentence, said + begin, said + end)
    elif remark.by == "companion":
        return
    elif clues.OPEN_THREAD.search(sentence) and not sentence.endswith(("?", "？")):
        begin, end = THREADS
        yield _made(Kind.OPEN_THREAD, remark, sentence, said + begin, said + end)
    elif remark.source.kind == "context":
        forever = datetime.max.replace(tzinfo=UTC)
        yield _made(Kind.FACT, remark, sentence, said, forever)
