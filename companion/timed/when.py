"""Words for a time, such as "tomorrow at 9" or "every weekday at 8", by somebody's own clock.

All of the words have to make sense: a part that is left over is an error, not a guess. The words
are those of `schedule_event`, in English; models write them whatever language they talk in.
"""

from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from companion.errors import ToolError
from companion.timed.recurrence import Rule, cron_fault, instant
from companion.timed.when_parts import (
    DAY,
    EXAMPLES,
    TOO_FAR,
    NoTimeError,
    Said,
    later,
    length,
    take_date,
    take_frequency,
    take_time,
    take_weekdays,
    take_within_a_day,
)
from companion.timed.when_words import (
    CRON,
    FILLERS,
    ISO_OFFSET,
    LENGTHS,
    TOO_OFTEN,
    WEEKDAYS,
    WITHIN_A_DAY,
)

MOST_CHARS = 200
"""Characters that words for a time may have."""

MORNING = time(9)
"""The time of a day for which none was said."""


@dataclass(frozen=True, slots=True)
class When:
    """When something is to happen, first at `first`, in UTC. `absolute` says that no zone had a
    say in it."""

    rule: Rule
    first: datetime
    absolute: bool = False


def resolve(words: str, now: datetime, zone: ZoneInfo) -> When:
    """What `words` mean, said at `now` by somebody in `zone`.

    Raises:
        ToolError: they can't be read, or name a time that has passed or never comes.
    """
    text = " ".join(words.split())
    if not text:
        raise ToolError(f"Say when. {EXAMPLES}")
    if len(text) > MOST_CHARS:
        raise NoTimeError(f"That is too long to be a time. {EXAMPLES}")
    return _instant(text, now, zone) or _cron(text, now, zone) or _spoken(text, now, zone)


def _instant(text: str, now: datetime, zone: ZoneInfo) -> When | None:
    """A moment that needs no calendar: an ISO time with its offset, or a length of time."""
    if ISO_OFFSET.fullmatch(text):
        try:
            return _once(datetime.fromisoformat(text.upper().replace(" ", "T")), now, zone)
        except (ValueError, OverflowError) as error:
            raise ToolError(f"“{text}” is no date that exists. {EXAMPLES}") from error
    text = text.replace("an hour and a half", "90 minutes")
    if not LENGTHS.fullmatch(text) or not WITHIN_A_DAY.search(text):
        return None  # so many days are dates
    return _once(later(now, length(text)), now, zone)


def _once(moment: datetime, now: datetime, zone: ZoneInfo) -> When:
    if moment.year > now.year + 1:
        raise ToolError(TOO_FAR)
    moment = moment.astimezone(now.tzinfo).replace(microsecond=0)
    if moment <= now:
        local = moment.astimezone(zone)
        raise ToolError(f"{local:%Y-%m-%d %H:%M} has passed; it is {_clock(now, zone)}.")
    return When(Rule(repeats="once", at=moment), moment, absolute=True)


def _cron(text: str, now: datetime, zone: ZoneInfo) -> When | None:
    match = CRON.fullmatch(text)
    if match is None:
        return None
    fault = cron_fault(match["cron"])
    if fault:
        raise ToolError(f"The cron expression “{match['cron']}” {fault}.")
    return _recurring(Rule(repeats="cron", cron=match["cron"], zone=zone.key), now)


def _recurring(rule: Rule, now: datetime) -> When:
    first = rule.next(now)
    if first is None:
        raise ToolError("That never comes.")
    return When(rule, first)


def _spoken(text: str, now: datetime, zone: ZoneInfo) -> When:
    local = now.astimezone(zone)
    if TOO_OFTEN.search(text):
        raise ToolError("That is too often: every 5 minutes is the most.")
    said = Said()
    rest = f" {text.casefold().replace(',', ' ')} "
    rest, often = take_within_a_day(rest, local)
    if often is not None:
        _require_nothing_left(rest, text)
        return _recurring(Rule(repeats="cron", cron=often, zone=zone.key), now)
    rest = take_frequency(rest, said)
    rest = take_date(rest, said, local)
    rest = take_weekdays(rest, said)
    rest = take_time(rest, said)
    _require_nothing_left(rest, text)
    if said.repeats == "once":
        return _single(said, now, zone, text)
    return _repeated(said, now, zone)


def _require_nothing_left(rest: str, text: str) -> None:
    left = [word for word in rest.split() if word not in FILLERS]
    if left:
        raise NoTimeError(f"I can't read “{' '.join(left)}” in “{text}”. {EXAMPLES}")


def _single(said: Said, now: datetime, zone: ZoneInfo, text: str) -> When:
    today = now.astimezone(zone).date()
    named = said.day is not None or bool(said.weekdays) or said.day_of_month is not None
    if not named and said.at is None:
        raise NoTimeError(f"I can't read “{text}”. {EXAMPLES}")
    at = said.at or MORNING
    day = said.day
    if len(said.weekdays) > 1:
        raise ToolError("Name one day, or say “every” for several of them.")
    if said.day_of_month is not None:
        day = _first_with(today, said.day_of_month)
    if day is None and said.weekdays:
        day = _weekday_after(today, said.weekdays[0], next_week=said.next_week)
        if day == today and _moment(day, at, zone) <= now:
            day += 7 * DAY
    elif day is not None and said.weekdays and day.weekday() != said.weekdays[0]:
        shown = WEEKDAYS[day.weekday()].title()
        raise ToolError(f"{day.isoformat()} is a {shown}. Say which of them is meant.")
    if day is None:
        day = today if _moment(today, at, zone) > now else today + DAY
    return When(_once(_moment(day, at, zone), now, zone).rule, _moment(day, at, zone))


def _weekday_after(today: date, weekday: int, *, next_week: bool) -> date:
    """That weekday; "next Friday" is that of the next week, from Monday on."""
    if next_week:
        return today + (7 - today.weekday() + weekday) * DAY
    return today + (weekday - today.weekday()) % 7 * DAY


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    moment = instant(day, at, zone)
    if moment is None:
        raise ToolError(f"There is no {day.isoformat()} in {zone.key}.")
    return moment


def _repeated(said: Said, now: datetime, zone: ZoneInfo) -> When:
    at = said.at or MORNING
    today = now.astimezone(zone).date()
    if len(said.weekdays) > 1 or (said.weekdays and said.repeats != "weekly"):
        return _on_weekdays(said, at, now, zone)
    first = said.day or today
    if said.weekdays:
        first = _weekday_after(first, said.weekdays[0], next_week=said.next_week)
    if said.day is None and _moment(first, at, zone) <= now:
        first += (7 if said.weekdays else 1) * DAY
    if said.day_of_month is not None:
        first = _first_with(first, said.day_of_month)
    rule = Rule(
        repeats=said.repeats, first_day=first, wall_time=at, zone=zone.key, every=said.every
    )
    return _recurring(rule, now)


def _on_weekdays(said: Said, at: time, now: datetime, zone: ZoneInfo) -> When:
    """Several days of the week are no rule of ours but one of cron's."""
    if said.repeats not in ("weekly", "daily") or said.every > 1:
        raise ToolError(f"I can't do that on weekdays that are named. {EXAMPLES}")
    days = ",".join(str((day + 1) % 7) for day in sorted(set(said.weekdays)))
    cron = f"{at.minute} {at.hour} * * {days}"
    return _recurring(Rule(repeats="cron", cron=cron, zone=zone.key), now)


def _first_with(first: date, day: int) -> date:
    """The first day with this number from `first` on, in a month that has it."""
    return next(d for d in (first + more * DAY for more in range(366)) if d.day == day)


def _clock(now: datetime, zone: ZoneInfo) -> str:
    return f"{now.astimezone(zone):%Y-%m-%d %H:%M} there"
