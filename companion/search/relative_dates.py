"""Days that a query names by how far back they lie: "yesterday", "two weeks ago", "上个月"."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Days:
    """Whole days, from `first` on and before `after`."""

    first: date
    after: date


_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            *("a an one 一", "two couple 二 两 兩", "three few 三 几 幾", "four several 四"),
            *("five 五", "six 六", "seven 七", "eight 八", "nine 九", "ten 十"),
            *("eleven 十一", "twelve 十二"),
        ),
        1,
    )
    for word in words.split()
}
_WEEKDAYS = {
    word: number
    for number, words in enumerate(
        (
            *("monday 一", "tuesday 二", "wednesday 三", "thursday 四", "friday 五"),
            *("saturday 六", "sunday 日 天"),
        )
    )
    for word in words.split()
}
_SEASONS = {
    word: month
    for month, words in (
        (3, "spring 春"),
        (6, "summer 夏"),
        (9, "autumn fall 秋"),
        (12, "winter 冬"),
    )
    for word in words.split()
}
"""The month in which each begins, north of the equator."""

_UNIT = {
    **dict.fromkeys(("day", "天", "日"), "day"),
    **dict.fromkeys(("week", "周", "週", "星期", "礼拜", "禮拜"), "week"),
    **dict.fromkeys(("month", "月"), "month"),
    **dict.fromkeys(("year", "年"), "year"),
}
_ALMOST = {
    "day": timedelta(0),
    "week": timedelta(days=3),
    "month": timedelta(days=15),
    "year": timedelta(days=45),
}
"""How far from the day itself "so many days, weeks, months, years ago" may mean."""

_COUNT = r"(?P<count>\d{1,3}|" + "|".join(w for w in _NUMBERS if w.isascii()) + r")"
_HAN_COUNT = r"(?P<count>\d{1,3}|十[一二]|[一二两兩三四五六七八九十几幾])"
_HAN_WEEK = "(?:周|週|星期|礼拜|禮拜)"
_OF_THE_WEEK = "(?P<weekday>" + "|".join(w for w in _WEEKDAYS if w.isascii()) + ")"
_OF_THE_YEAR = "(?P<season>" + "|".join(w for w in _SEASONS if w.isascii()) + ")"


def months_from(day: date, months: int) -> date:
    """The first of the month that lies `months` after that of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)


def last_month_called(number: int, today: date, *, this: bool = False) -> Days:
    """The latest month of this `number` before the current one, or with `this` of this year."""
    year = today.year if this or number < today.month else today.year - 1
    first = date(year, number, 1)
    return Days(first, months_from(first, 1))


def relative_days(query: str, today: date) -> Iterator[tuple[re.Match[str], Days]]:
    """What of `query` names days by how far before `today` they lie, and those days."""
    for form, meant in _FORMS:
        for match in form.finditer(query):
            try:
                days = meant(match.groupdict(), today)
            except (ValueError, OverflowError):  # before the calendar begins
                continue
            yield match, days
        query = form.sub(lambda match: "\0" * len(match[0]), query)


def _one(day: date) -> Days:
    return Days(day, day + DAY)


def _days_back(back: int) -> Callable[[dict[str, str | None], date], Days]:
    return lambda _named, today: _one(today - back * DAY)


def _ago(named: dict[str, str | None], today: date) -> Days:
    count, unit = _count(named["count"]), _UNIT[(named["unit"] or "").lower()]
    match unit:
        case "day":
            middle = today - count * DAY
        case "week":
            middle = today - count * WEEK
        case "month":
            middle = months_from(today, -count) + (today.day - 1) * DAY
        case _:
            middle = months_from(today, -12 * count) + (today.day - 1) * DAY
    return Days(middle - _ALMOST[unit], middle + _ALMOST[unit] + DAY)


def _through(named: dict[str, str | None], today: date) -> Days:
    """ "in the last two weeks": up to today."""
    return Days(_ago(named, today).first, today + DAY)


def _period(named: dict[str, str | None], today: date) -> Days:
    """A week, month or year by the calendar: `back` of 0 is the current one."""
    back = 0 if named["which"] in _CURRENT else 1 + (named["which"] in _BEFORE_LAST)
    match _UNIT[named["unit"] or ""]:
        case "week":
            monday = today - today.weekday() * DAY - back * WEEK
            return Days(monday, monday + WEEK)
        case "month":
            return Days(months_from(today, -back), months_from(today, 1 - back))
        case _:
            return Days(date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1))


_CURRENT = ("this", "这", "這", "本", "今")
_BEFORE_LAST = ("上上", "前")


def _weekend(named: dict[str, str | None], today: date) -> Days:
    monday = today - today.weekday() * DAY
    back = 0 if (named["which"] or "").lower() == "this" else 1
    saturday = monday + 5 * DAY - back * WEEK
    return Days(saturday, saturday + 2 * DAY)


def _weekday(named: dict[str, str | None], today: date) -> Days:
    """The latest such day before today."""
    number = _WEEKDAYS[(named["weekday"] or "").lower()]
    return _one(today - ((today.weekday() - number - 1) % 7 + 1) * DAY)


def _weekday_of_last_week(named: dict[str, str | None], today: date) -> Days:
    monday = today - today.weekday() * DAY - WEEK
    return _one(monday + _WEEKDAYS[named["weekday"] or ""] * DAY)


def _season(named: dict[str, str | None], today: date) -> Days:
    begins = _SEASONS[(named["season"] or "").lower()]
    year = today.year
    match named.get("which"):
        case "去":
            year -= 1
        case "前":
            year -= 2
        case "今":
            pass
        case _:
            year -= date(year, begins, 1) > today
    first = date(year, begins, 1)
    return Days(first, months_from(first, 3))


def _month_of_year(named: dict[str, str | None], today: date) -> Days:
    back = {"今": 0, "去": 1, "前": 2}[named["which"] or ""]
    first = date(today.year - back, _count(named["month"]), 1)
    return Days(first, months_from(first, 1))


def _count(word: str | None) -> int:
    word = (word or "").lower()
    return int(word) if word.isdecimal() else _NUMBERS[word]


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[dict[str, str | None], date], Days]], ...] = (
    (_form(r"\bthe day before yesterday\b|前天"), _days_back(2)),
    (_form(r"\byesterday\b|\blast night\b|昨[天日晚]"), _days_back(1)),
    (
        _form(r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今[天日晚]"),
        _days_back(0),
    ),
    (
        _form(
            rf"\b(?:in|over|during|for|within)?\s*(?:the|these)?\s*(?:last|past)\s+{_COUNT}"
            r"(?:\s+of)?\s+(?P<unit>day|week|month|year)s?\b"
        ),
        _through,
    ),
    (
        _form(rf"\b(?:a\s+)?{_COUNT}(?:\s+of)?\s+(?P<unit>day|week|month|year)s?\s+(?:ago|back)\b"),
        _ago,
    ),
    (_form(rf"{_HAN_COUNT}(?:个|個)?(?P<unit>天|日|周|週|星期|礼拜|禮拜|月|年)(?:之|以)?前"), _ago),
    (_form(rf"(?:上|上个|上個){_HAN_WEEK}(?P<weekday>[一二三四五六日天])"), _weekday_of_last_week),
    (
        _form(rf"(?P<which>上上|上|这|這|本)(?:个|個)?(?P<unit>{_HAN_WEEK}|月)"),
        _period,
    ),
    (
        _form(r"(?P<which>今|去|前)年(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月"),
        _month_of_year,
    ),
    (_form(r"(?P<which>今|去|前)年(?P<season>[春夏秋冬])"), _season),
    (_form(r"(?P<which>今|去|前)(?P<unit>年)"), _period),
    (_form(r"\b(?:the\s+)?(?P<which>last|past|this|previous)\s+weekend\b"), _weekend),
    (_form(rf"\b(?:last|on|this past)\s+{_OF_THE_WEEK}\b"), _weekday),
    (_form(rf"\b(?:last|this|this past)\s+{_OF_THE_YEAR}\b"), _season),
    (_form(r"\b(?P<which>last|past|this|previous)\s+(?P<unit>week|month|year)\b"), _period),
)
"""What stands first is looked for first, and what it took is not looked at again."""
