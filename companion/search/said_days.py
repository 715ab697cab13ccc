"""The days that a text speaks of, counted from when it was said: "on Thursday", "in two weeks".

"Thursday" said on a Monday and read a month later means the Thursday of that week.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from companion.search.dates import written_dates
from companion.search.relative_words import (
    AGO,
    IN_A_WHILE,
    NEAR_DAYS,
    NEXT,
    NUMBERS,
    PAST_HINT,
    PERIODS,
    PREVIOUS,
    TIME_OF_DAY,
    UNITS,
    WEEKDAYS,
)

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
_MAY_NAME_A_DAY = re.compile(
    r"[\d天周日月年礼期]|day|week|month|year|tonight|morning|evening|afternoon|tomorrow|night"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|heute|morgen|gestern|tag|mittwoch|abend"
    r"|woche|monat|jahr|今晚|明[晚早]|昨晚",
    re.IGNORECASE,
)
"""Most sentences name none, and are passed over by one look."""
_POINTED = re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.((?:19|20)\d\d)?(?![\d])")


@dataclass(frozen=True, slots=True)
class Named:
    """Days that were named, from `first` to `last`, with the time of day if there was one.

    `yearless` says that the year was left open, as in "5 May".
    """

    first: date
    last: date
    at: time | None = None
    yearless: bool = False


def named_days(text: str, said: datetime) -> list[Named]:
    """The days that `text` names, in order of the days. `said` is the local time it was said at.

    A day without a year, or a weekday, lies after that moment, unless `text` tells of the past.
    """
    return list(_named(text, said.date())) if _MAY_NAME_A_DAY.search(text) else []


@lru_cache(maxsize=4096)
def _named(text: str, today: date) -> tuple[Named, ...]:
    """As `named_days`. The same texts are looked at several times a day."""
    past = PAST_HINT.search(text) is not None
    at = _time_of_day(text)
    spans = [*_dates(text, today, past=past), *_relative(text, today, past=past)]
    named = {Named(first, last, at, yearless) for first, last, yearless in spans}
    return tuple(sorted(named, key=lambda one: (one.first, one.last)))


Span = tuple[date, date, bool]


def _dates(text: str, today: date, *, past: bool) -> Iterator[Span]:
    for written in written_dates(text)[0]:
        if written.month is not None:  # a year alone names no day to come back to
            yield from _in_calendar(written.year, written.month, written.day, today, past=past)
    for match in _POINTED.finditer(text):
        year = int(match[3]) if match[3] else None
        yield from _in_calendar(year, int(match[2]), int(match[1]), today, past=past)


def _in_calendar(
    year: int | None, month: int, day: int | None, today: date, *, past: bool
) -> Iterator[Span]:
    """The day or month; without a year the next one, or the last one where it is `past`."""
    if year is not None:
        span = _days_of(year, month, day)
        if span is not None:
            yield (*span, False)
        return
    # 29 February may be eight years away
    years = range(today.year, today.year - 9, -1) if past else range(today.year, today.year + 9)
    for one in years:
        span = _days_of(one, month, day)
        if span is not None and (span[0] <= today if past else span[1] >= today):
            yield (*span, True)
            return


def _days_of(year: int, month: int, day: int | None) -> tuple[date, date] | None:
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return None
    if day is not None:
        return first, first
    return first, (first + timedelta(days=31)).replace(day=1) - DAY


def _relative(text: str, today: date, *, past: bool) -> Iterator[Span]:
    rest = text
    for words, days in NEAR_DAYS:
        if words.search(rest):
            rest = words.sub(" ", rest)
            day = today + timedelta(days=days)
            yield day, day, False
    for form, sign in ((IN_A_WHILE, 1), (AGO, -1)):
        for match in form.finditer(rest):
            moved = _moved(today, sign * _number(match["number"]), match["unit"])
            if moved is not None:
                yield moved, moved, False
        rest = form.sub(" ", rest)
    for words, kind, step in PERIODS:
        if words.search(rest):
            rest = words.sub(" ", rest)
            first, last = _period(kind, step, today)
            yield first, last, False
    for number, words in enumerate(WEEKDAYS):
        for match in words.finditer(rest):
            day = _weekday(number, match.group(0), today, past=past)
            yield day, day, False


def _number(written: str) -> int:
    written = written.casefold().strip()
    return int(written) if written.isdigit() else NUMBERS[written]


def _moved(today: date, number: int, unit: str) -> date | None:
    size = next(size for words, size in UNITS if words.fullmatch(unit))
    try:
        return today + size * number
    except OverflowError:
        return None


def _weekday(number: int, words: str, today: date, *, past: bool) -> date:
    """The weekday called `words`. "Next Thursday" is that of the next week, from Monday on."""
    if NEXT.search(words):
        return today - timedelta(days=today.weekday()) + WEEK + timedelta(days=number)
    if past or PREVIOUS.search(words):
        return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


def _period(kind: str, step: int, today: date) -> tuple[date, date]:
    """The week, weekend, month or year `step` away from the one in which `today` lies."""
    monday = today - timedelta(days=today.weekday()) + step * WEEK
    match kind:
        case "week":
            return monday, monday + timedelta(days=6)
        case "weekend":
            return monday + timedelta(days=5), monday + timedelta(days=6)
        case "month":
            months = today.year * 12 + today.month - 1 + step
            span = _days_of(months // 12, months % 12 + 1, None)
            assert span is not None
            return span
    return date(today.year + step, 1, 1), date(today.year + step, 12, 31)


def _time_of_day(text: str) -> time | None:
    match = TIME_OF_DAY.search(text)
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["half"] or "").casefold().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return time(hour, minute) if hour < 24 and minute < 60 else None
