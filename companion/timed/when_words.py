"""The words of `when`: numbers, days, times and how often."""

import re
from datetime import time, timedelta

from companion.timed.recurrence import Repeats

_SMALL = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve",),
)
NUMBERS: dict[str, float] = {
    **{word: number for number, word in enumerate(_SMALL, 1)},
    **dict.fromkeys(("a", "an"), 1),
    "a couple": 2,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "forty-five": 45,
    "sixty": 60,
    "ninety": 90,
    "half an": 0.5,
    "half a": 0.5,
    "a quarter of an": 0.25,
}
_NUMBER = (
    r"(?:(?<![\d.])\d+(?:\.\d+)?|\b(?:"
    + "|".join(re.escape(word) for word in sorted(NUMBERS, key=len, reverse=True))
    + r")(?=\s))"
)
UNITS = (
    (r"s|secs?|seconds?", timedelta(seconds=1)),
    (r"m|mins?|minutes?", timedelta(minutes=1)),
    (r"h|hrs?|hours?", timedelta(hours=1)),
    (r"d|days?", timedelta(days=1)),
    (r"w|wks?|weeks?", timedelta(weeks=1)),
)
_UNIT = "|".join(names for names, _ in UNITS)
LENGTH = re.compile(rf"(?P<number>{_NUMBER})(?: of)?\s*(?P<unit>{_UNIT})(?![a-z])", re.IGNORECASE)
LENGTHS = re.compile(
    rf"(?:in )?(?:{_NUMBER}(?: of)?\s*(?:{_UNIT})(?![a-z])(?:,| and)?\s*)+", re.IGNORECASE
)
WITHIN_A_DAY = re.compile(r"sec|min|hour|hr|\d\s?[hms]\b", re.IGNORECASE)

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = (
    r"(?P<month>"
    + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else m for m in MONTHS)
    + r"|sept)"
)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"

ISO_OFFSET = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|[+-]\d\d:?\d\d)", re.IGNORECASE
)
_FIELD = (
    r"(?:[\d*/,\-#L]|sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+"
)
CRON = re.compile(rf"(?:cron:? )?(?P<cron>[\d*][\d*/,\-]*(?: {_FIELD}){{4,5}})", re.IGNORECASE)

DATES = (
    re.compile(rf"\b{_YEAR}-(?P<month>[01]?\d)-(?P<day>[0-3]?\d)(?:t(?=\d)|\b)"),
    re.compile(rf"(?<![\d.])(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{_YEAR[:-1]})?(?![\d])"),
    re.compile(rf"\b{_DAY}(?: of)? {_MONTH}\b\.?(?: {_YEAR}\b)?"),
    re.compile(rf"\b{_MONTH}\b\.? {_DAY}\b(?!:)(?: {_YEAR}\b)?"),
    re.compile(rf"\bin (?P<length>{_NUMBER}\s*(?:days?|d|weeks?|wks?|w))\b"),
    re.compile(
        r"\bon the (?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b|\b(?P<ordinal>[0-3]?\d)(?:st|nd|rd|th)\b"
    ),
)
NAMED_DAYS: tuple[tuple[re.Pattern[str], int, time | None], ...] = (
    (re.compile(r"\b(?:the )?day after tomorrow\b"), 2, None),
    (re.compile(r"\btomorrow night\b"), 1, time(20)),
    (re.compile(r"\btomorrow\b"), 1, None),
    (re.compile(r"\btonight\b"), 0, time(20)),
    (re.compile(r"\btoday\b"), 0, None),
    (re.compile(r"\b(?:a week from today|in a week|next week)\b"), 7, None),
)
NAMED_TIMES = {
    "midnight": time(0),
    "morning": time(9),
    "midday": time(12),
    "noon": time(12),
    "lunchtime": time(12, 30),
    "afternoon": time(15),
    "evening": time(19),
    "night": time(21),
}
WEEKDAY = re.compile(
    r"\b(?:(?P<next>next)|this|coming|on)?\s*\b(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|satur|sat|sun)"
    r"(?:day)?(?P<plural>s)?\b"
)
CLOCK = re.compile(
    r"(?:\bat |@ ?)?(?<![\d.:-])\b(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d\d))?(?::\d\d)?"
    r" ?(?P<half>[ap]\.?m\b\.?)?(?![\d:.-])"
)
_EVERY = (
    r"\b(?:every|each)"
    r"(?: (?P<number>other|second|\d+|[a-z]+(?= (?:day|week|month|year|min|hour))))?"
)
WITHIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"{_EVERY} ?(?:minutes?|mins?|m)\b"), "minutes"),
    (re.compile(rf"{_EVERY} ?(?:hours?|hrs?|h)\b"), "hours"),
    (re.compile(r"\bhourly\b"), "hours"),
)
"""How often within a day."""
EVERY: tuple[tuple[re.Pattern[str], Repeats], ...] = (
    (re.compile(r"\b(?:every|each|on)? ?(?:weekdays?|workdays?|working days?)\b"), "weekdays"),
    (re.compile(r"\b(?:every|each) (?P<weekend>weekend)s?\b"), "weekly"),
    (re.compile(r"\b(?:every|each) (?P<part>morning|afternoon|evening|night)\b"), "daily"),
    (re.compile(rf"{_EVERY} ?days?\b|\bdaily\b"), "daily"),
    (re.compile(rf"{_EVERY} ?weeks?\b|\bweekly\b"), "weekly"),
    (re.compile(rf"{_EVERY} ?months?\b|\bmonthly\b"), "monthly"),
    (re.compile(rf"{_EVERY} ?years?\b|\b(?:yearly|annually)\b"), "yearly"),
    (re.compile(rf"\b(?:every|each) {_DAY} of (?:the|each|every) month\b"), "monthly"),
    (re.compile(rf"\b(?:every|each) (?=(?:{_DAY}(?: of)? {_MONTH})\b)"), "yearly"),
    (
        re.compile(
            r"\b(?:every|each) (?:(?P<number>other|second) )?(?=(?:mon|tue|wed|thu|fri|sat|sun))"
        ),
        "weekly",
    ),
)
TOO_OFTEN = re.compile(
    r"\b(?:every|each) ?(?:\d+|[a-z]+)? ?(?:s|secs?|seconds?)\b|\bevery moment\b", re.I
)
FILLERS = frozenset(
    (
        "at",
        "on",
        "the",
        "of",
        "in",
        "and",
        "by",
        "from",
        "then",
        "o'clock",
        "oclock",
        "sharp",
        "this",
        "once",
    )
)


def month_number(name: str) -> int:
    """The number of a month, by its name or number."""
    if name.isdigit():
        return int(name)
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def weekday_number(name: str) -> int:
    """The number of a weekday by the beginning of its name; Monday is 0."""
    return next(n for n, day in enumerate(WEEKDAYS) if day.startswith(name[:3]))
