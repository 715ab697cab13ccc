"""How English, German and Chinese name days from the day on which they are named.

In other languages only dates with numbers are understood, and what the companion notes itself,
which carries a real date.
"""

import re
from datetime import timedelta


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


NEAR_DAYS = (
    (_words(r"\b(?:the )?day after tomorrow\b", r"\bübermorgen\b", "后天|後天"), 2),
    (_words(r"\b(?:the )?day before yesterday\b", r"\bvorgestern\b", "前天"), -2),
    (_words(r"\byesterday\b", r"\blast night\b", r"\bgestern\b", "昨天|昨晚"), -1),
    (_words(r"\btomorrow\b", r"(?<!guten )(?<!am )\bmorgen\b", "明天|明晚|明早"), 1),
    (
        _words(
            r"\btoday\b",
            r"\btonight\b",
            r"\bthis (?:morning|afternoon|evening)\b",
            r"\bheute\b",
            "今天|今晚",
        ),
        0,
    ),
)
"""How many days away; longer wordings stand before those that they contain."""

_WEEKDAYS = (
    (r"monday|montag", "一"),
    (r"tuesday|dienstag", "二"),
    (r"wednesday|mittwoch", "三"),
    (r"thursday|donnerstag", "四"),
    (r"friday|freitag", "五"),
    (r"saturday|samstag|sonnabend", "六"),
    (r"sunday|sonntag", "日天"),
)
WEEKDAYS = tuple(
    _words(
        rf"(?:\b(?:next|last|past|nächste[nr]?|letzte[nr]?)\s+)?\b(?:{latin})\b",
        rf"[下上]?个?(?:周|星期|礼拜)[{chinese}]",
    )
    for latin, chinese in _WEEKDAYS
)
"""From Monday on, with the word that says which one. "On Fridays" is a habit, and none of them."""
NEXT = _words(r"\bnext\b", r"\bnächste", "下")
PREVIOUS = _words(r"\b(?:last|past)\b", r"\bletzte", "上")

_WHICH = (
    (1, r"\bnext", r"\bnächste[nrs]?", "下个?"),
    (-1, r"\blast", r"\bletzte[nrs]?", "上个?"),
    (0, r"\b(?:this|later this|over the|at the|on the)", r"\b(?:diese[nrs]?|am)", "这个?"),
)
_PERIODS = (
    ("weekend", "weekend", "wochenende", "周末"),
    ("week", "week", "woche", "(?:周|星期|礼拜)(?![一二三四五六日天末])"),
    ("month", "month", "monat", "月"),
    ("year", "year", "jahr", "年"),
)
PERIODS = tuple(
    (
        _words(rf"{which} {english}\b", rf"{welche} {german}\b", rf"{han_which}{han}"),
        kind,
        step,
    )
    for kind, english, german, han in _PERIODS
    for step, which, welche, han_which in _WHICH
)

NUMBERS = {
    word: number
    for number, words in {
        1: "a an one einem einer",
        2: "two zwei",
        3: "three drei",
        4: "four vier",
        5: "five fünf",
        6: "six sechs",
        7: "seven sieben",
        8: "eight acht",
        9: "nine neun",
        10: "ten zehn",
    }.items()
    for word in words.split()
}
UNITS = (
    (_words("days?", "tag(?:en)?"), timedelta(days=1)),
    (_words("weeks?", "wochen?"), timedelta(days=7)),
    (_words("months?", "monat(?:en)?"), timedelta(days=30)),
)
_NUMBER = r"(?P<number>\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + ")"
_UNIT = "(?P<unit>" + "|".join(words.pattern for words, _ in UNITS) + ")"
IN_A_WHILE = _words(rf"\bin (?:about )?{_NUMBER}\s+{_UNIT}\b")
AGO = _words(rf"\b{_NUMBER}\s+{_UNIT} ago\b")

PAST_HINT = _words(
    r"\b(?:was|were|had|went|did|didn['’]t|(?<!['’]ve )(?<!have )got|came|met|saw|made|passed"
    r"|failed|finished|ended|died|ago|yesterday|last (?:night|week|month|year|summer|winter))\b",
    r"\b(?:war|waren|hatte|hatten|ging|gestern|letzte[nrs]?)\b",
    "昨天|前天|上周|上个|去年|过了",
)
"""What tells that a day without a year, or a weekday, lies behind."""

TIME_OF_DAY = _words(
    r"\b(?:at|um|@)\s*(?P<hour>[01]?\d|2[0-3])(?:[:.](?P<minute>[0-5]\d))?"
    r"\s*(?P<half>[ap]\.?m\b\.?)?(?![\d%])"
)
