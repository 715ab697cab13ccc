"""Dates that a query names: "5 May 2023", "in June", "2023-05-05"."""

import re

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_NAMES = {name: number for number, month in enumerate(_MONTHS, 1) for name in (month, month[:3])}
_NAMES["sept"] = 9
_MONTH = r"(?P<month>" + "|".join(sorted(_NAMES, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_BEFORE_MONTH = "(?:in|of|during|since|last|this|early|mid|late|end)"
_WRITTEN = (
    re.compile(rf"\b{_YEAR[:-2]}-(?P<month>[01]\d)(?:-(?P<day>[0-3]\d))?\b"),
    re.compile(rf"\b{_YEAR[:-2]}年(?:(?P<month>1?\d)月)?(?:(?P<day>[1-3]?\d)[日号])?"),
    re.compile(r"(?P<month>\b1?\d)月(?:(?P<day>[1-3]?\d)[日号])?"),
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH},?\s+{_YEAR}", re.IGNORECASE),
    re.compile(
        rf"\b(?:in|of|during|since|last|this|early|mid|late|end)[\s-]+{_MONTH}", re.IGNORECASE
    ),
    re.compile(rf"(?<![\w-]){_YEAR}"),
)


def date_patterns(query: str) -> list[str]:
    """What the dates that `query` names look like at the head of an ISO date, as GLOB patterns.

    A part that it leaves open, as the year in "5 May", matches anything.
    """
    patterns = []
    for form in _WRITTEN:
        for match in form.finditer(query):
            patterns.append(_pattern(match.groupdict()))
        query = form.sub(" ", query)
    return list(dict.fromkeys(patterns))


def _pattern(named: dict[str, str | None]) -> str:
    year, month, day = named.get("year"), named.get("month"), named.get("day")
    number = None
    if month is not None:
        number = int(month) if month.isdigit() else _NAMES[month.lower()]
    return "-".join(
        (
            year or "????",
            "??" if number is None else f"{number:02}",
            f"{int(day):02}*" if day else "*",
        )
    )
