"""Takes the parts of a time out of the words for it: how often, which day, what time of day.

Each function gives what is left of the words.
"""

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from companion.errors import ToolError
from companion.timed.recurrence import Repeats
from companion.timed.when_words import (
    CLOCK,
    DATES,
    EVERY,
    LENGTH,
    NAMED_DAYS,
    NAMED_TIMES,
    NUMBERS,
    UNITS,
    WEEKDAY,
    WITHIN,
    month_number,
    weekday_number,
)

DAY = timedelta(days=1)
EXAMPLES = (
    "Write it like: tomorrow at 9; next Friday 18:30; in 2 hours; 2026-05-03 18:30; every weekday"
    " at 8; every year on 3 May; or cron with five fields, 0 8 * * 1-5."
)
TOO_FAR = "That is more than a year ahead."
ROUND_MINUTES = (5, 10, 15, 20, 30)
ROUND_HOURS = (1, 2, 3, 4, 6, 8, 12)


class NoTimeError(ToolError):
    """These words are no time."""


@dataclass(slots=True)
class Said:
    """What the words said, part by part."""

    repeats: Repeats = "once"
    every: int = 1
    weekdays: list[int] = field(default_factory=list)
    next_week: bool = False
    day: date | None = None
    day_of_month: int | None = None
    at: time | None = None


def length(text: str) -> timedelta:
    """All the lengths of time that `text` names, such as "1h 30m", together.

    Raises:
        ToolError: that is longer than anybody plans.
    """
    total = timedelta(0)
    for match in LENGTH.finditer(text.casefold()):
        number = NUMBERS.get(match["number"]) or float(match["number"])
        unit = next(size for names, size in UNITS if re.fullmatch(names, match["unit"]))
        try:
            total += number * unit
        except OverflowError as error:
            raise ToolError(TOO_FAR) from error
    return total


def take_within_a_day(rest: str, local: datetime) -> tuple[str, str | None]:
    """Take "every 2 hours" out of `rest`: what happens several times a day is a cron expression."""
    for pattern, unit in WITHIN:
        match = pattern.search(rest)
        if match is not None:
            number = _whole(match.groupdict().get("number"))
            return _without(rest, match), _within_a_day(unit, number, local)
    return rest, None


def take_frequency(rest: str, said: Said) -> str:
    """Take "every …" out of `rest`."""
    for pattern, repeats in EVERY:
        match = pattern.search(rest)
        if match is None:
            continue
        found = match.groupdict()
        said.repeats, said.every = repeats, _whole(found.get("number"))
        if found.get("weekend"):
            said.weekdays = [5, 6]
        if part := found.get("part"):
            said.at = NAMED_TIMES[part]
        if day := found.get("day"):
            said.day_of_month = int(day)
        return _without(rest, match)
    return rest


def _without(rest: str, match: re.Match[str]) -> str:
    return f"{rest[: match.start()]} {rest[match.end() :]}"


def _whole(number: str | None) -> int:
    if not number:
        return 1
    if number in ("other", "second"):
        return 2
    size = NUMBERS.get(number, 0) if number.isalpha() else float(number)
    if size < 1 or size != int(size) or size > 1000:
        raise ToolError(f"Every {number} of that can't be done: take a whole number.")
    return int(size)


def _within_a_day(unit: str, every: int, local: datetime) -> str:
    """Every so many minutes or hours, from now on, as cron has it."""
    if unit == "minutes" and every in ROUND_MINUTES:
        return f"{local.minute % every}-59/{every} * * * *"
    if unit == "hours" and every in ROUND_HOURS:
        return f"{local.minute} {local.hour % every}-23/{every} * * *"
    if unit == "minutes" and every < min(ROUND_MINUTES):
        raise ToolError("That is too often: every 5 minutes is the most.")
    raise ToolError(
        "I can do every 5, 10, 15, 20 or 30 minutes, and every 1, 2, 3, 4, 6, 8 or 12 hours."
    )


def take_date(rest: str, said: Said, local: datetime) -> str:
    """Take the day out of `rest`: a date, a day's name, or so many days from now."""
    for pattern in DATES:
        match = pattern.search(rest)
        if match is None:
            continue
        found = match.groupdict()
        rest = _without(rest, match)
        if found.get("length"):
            said.day = later(local, length(found["length"])).date()
        elif found.get("month"):
            said.day = _calendar_day(found, said, local.date())
        else:
            said.day_of_month = int(found["day"] or found["ordinal"] or 0)
            if not 1 <= said.day_of_month <= 31:
                raise ToolError(f"No month has a day {said.day_of_month}.")
        return rest
    for name, days, at in NAMED_DAYS:
        if name.search(rest):
            said.day = local.date() + days * DAY
            said.at = at
            return name.sub(" ", rest, count=1)
    return rest


def later(moment: datetime, more: timedelta) -> datetime:
    """`moment` and so much time.

    Raises:
        ToolError: no calendar goes that far.
    """
    try:
        return moment + more
    except OverflowError as error:
        raise ToolError(TOO_FAR) from error


def _calendar_day(found: dict[str, str | None], said: Said, today: date) -> date:
    """A day of a month; without a year the next one that is there, or for a birthday the last."""
    month, day = month_number(found["month"] or ""), int(found["day"] or 1)
    if found.get("year"):
        year = int(found["year"] or 0)
        if year > today.year + 1:
            raise ToolError(TOO_FAR)
        years = range(year, year + 1)
    elif said.repeats == "yearly":
        years = range(today.year, today.year - 9, -1)
    else:
        years = range(today.year, today.year + 9)
    for year in years:
        try:
            candidate = date(year, month, day)
        except ValueError:
            continue
        if candidate >= today or found.get("year") or said.repeats == "yearly":
            return candidate
    raise ToolError(f"There is no day {day} in month {month}. {EXAMPLES}")


def take_weekdays(rest: str, said: Said) -> str:
    """Take the names of weekdays out of `rest`."""

    def take(match: re.Match[str]) -> str:
        said.weekdays.append(weekday_number(match["weekday"]))
        said.next_week = said.next_week or bool(match["next"])
        if match["plural"] and said.repeats == "once":
            said.repeats = "weekly"
        return " "

    return WEEKDAY.sub(take, rest)


def take_time(rest: str, said: Said) -> str:
    """Take the time of day out of `rest`."""
    match = CLOCK.search(rest)
    if match is None:
        for name, at in NAMED_TIMES.items():
            if re.search(rf"\b{name}\b", rest):
                said.at = at
                return re.sub(rf"\b{name}\b", " ", rest)
        return rest
    evening = said.at is not None and said.at.hour >= 12
    said.at = _clock_time(match, evening=evening)
    rest = _without(rest, match)
    for name, at in NAMED_TIMES.items():  # "at 8 in the evening"
        if re.search(rf"\b{name}\b", rest):
            if at.hour >= 12 and said.at.hour < 12 and name not in ("noon", "midday"):
                said.at = said.at.replace(hour=said.at.hour + 12)
            rest = re.sub(rf"\b{name}\b", " ", rest)
    return rest


def _clock_time(match: re.Match[str], *, evening: bool) -> time:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["half"] or "").replace(".", "")
    if half and not 1 <= hour <= 12:
        raise ToolError(f"“{match.group(0).strip()}” is no time of day.")
    if half == "pm" or (evening and not half and hour < 12):
        hour = hour % 12 + 12
    elif half == "am":
        hour %= 12
    if hour > 23 or minute > 59:
        raise ToolError(
            f"“{match.group(0).strip()}” is no time of day; they go from 0:00 to 23:59."
        )
    return time(hour, minute)
