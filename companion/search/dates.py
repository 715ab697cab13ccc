"""Days that a query names: "5 May 2023", "in June", "2023-05-05", "last week"."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from companion.search.relative_dates import Days, last_month_called, months_from, relative_days
from companion.search.words import STOP_CHARACTERS, query_terms

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_NAMES = {name: number for number, month in enumerate(_MONTHS, 1) for name in (month, month[:3])}
_NAMES["sept"] = 9
_NAMES |= {numeral: number for number, numeral in enumerate("一二三四五六七八九十", 1)}
_NAMES |= {"十一": 11, "十二": 12}
_MONTH = r"(?P<month>" + "|".join(sorted(filter(str.isascii, _NAMES), key=len, reverse=True))
_MONTH += r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_BEFORE_MONTH = r"(?P<which>in|of|during|since|last|this|early|mid|late|end)"
_HAN_MONTH = r"(?P<month>\b1?\d|十[一二]|[一二三四五六七八九十])月"
_WRITTEN = (
    re.compile(rf"\b{_YEAR[:-2]}-(?P<month>[01]\d)(?:-(?P<day>[0-3]\d))?\b"),
    re.compile(rf"\b{_YEAR[:-2]}年(?:(?P<month>1?\d)月)?(?:(?P<day>[1-3]?\d)[日号])?"),
    re.compile(rf"{_HAN_MONTH}(?:(?P<day>[1-3]?\d)[日号])?"),
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH},?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b{_BEFORE_MONTH}[\s-]+{_MONTH}", re.IGNORECASE),
    re.compile(rf"(?<![\w-]){_YEAR}"),
)


MOST_CHARS = 1000
"""Of a query that are read for days; what is longer is a text that somebody pasted."""


@dataclass(frozen=True, slots=True)
class Written:
    """A date as it was written; what it leaves open is None. `which` is the word before a month,
    such as "last"."""

    year: int | None
    month: int | None
    day: int | None
    which: str


def written_dates(text: str) -> tuple[list[Written], str]:
    """The dates that are written in `text` with a month or a year, and the rest of it."""
    found = []
    for form in _WRITTEN:
        found += [_written(match.groupdict()) for match in form.finditer(text)]
        text = form.sub(" ", text)
    return found, text


def _written(named: dict[str, str | None]) -> Written:
    return Written(
        _number(named.get("year")),
        _number(named.get("month")),
        _number(named.get("day")),
        (named.get("which") or "").lower(),
    )


@dataclass(frozen=True, slots=True)
class Named:
    """The days that a query names. `alone` says that it asks for nothing else."""

    days: tuple[Days, ...]
    alone: bool


def days_named(query: str, *, years: Iterable[int], today: date | None = None) -> Named:
    """The days that `query` names, on a calendar in which it is `today`.

    A year that it leaves open, as in "5 May", is any of `years`. Without `today` what is named by
    how far back it lies is not understood.
    """
    query = " ".join(query[:MOST_CHARS].split())  # some forms are slow over blanks
    asked, rest = list(years), query
    found: list[Days] = []
    if today is not None:
        for match, days in relative_days(query, today):
            found.append(days)
            rest = rest.replace(match[0], " ", 1)
    written, rest = written_dates(rest)
    for one in written:
        found += _meant(one, asked, today)
    return Named(tuple(dict.fromkeys(found)), bool(found) and _asks_nothing(rest))


def _meant(written: Written, years: list[int], today: date | None) -> list[Days]:
    month = written.month
    if today is not None and month is not None and written.which in ("last", "this"):
        return [last_month_called(month, today, this=written.which == "this")]
    if written.year is not None:
        years = [written.year]
    whole = [_days(year, month, written.day) for year in years]
    return [days for days in whole if days is not None]


def _days(year: int, month: int | None, day: int | None) -> Days | None:
    try:
        if month is None:
            return Days(date(year, 1, 1), date(year + 1, 1, 1))
        first = date(year, month, day or 1)
    except ValueError:  # such as 31 June
        return None
    return Days(first, first + timedelta(days=1) if day else months_from(first, 1))


def _number(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if word.isdecimal() else _NAMES[word.lower()]


def _asks_nothing(rest: str) -> bool:
    """Whether nothing is left to look for but that something was said, or happened."""
    return all(
        term in _SAYING or _SAYING_CHARACTERS.issuperset(term)
        for term in query_terms(f"{rest} said")  # of stop words alone it would give them all
    )


_SAYING = frozenset(
    (
        *("say", "said", "tell", "told", "talk", "talked", "talking", "discuss", "discussed"),
        *("speak", "spoke", "chat", "chatted", "chatting", "happen", "happened", "happening"),
    )
)
_SAYING_CHARACTERS = STOP_CHARACTERS | frozenset("说說聊谈談讲講话話天事情发發生")
