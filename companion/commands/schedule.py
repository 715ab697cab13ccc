"""Seeing, making, moving and cancelling what comes at a time of its own, and when not to."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from companion.commands.declare import Answer, Asked, Command, Question, Write
from companion.errors import ToolError
from companion.event_text import local_time
from companion.events import Choice
from companion.storage import people, schedule, timing
from companion.storage.database import Tx
from companion.storage.schedule import Scheduled
from companion.timed import moving, pausing, planning, zones
from companion.timed.in_words import listed, moment_and_rule
from companion.timed.purposes import zone_of
from companion.timed.when import resolve
from companion.timed.when_parts import NoTimeError
from companion.timed.when_words import FILLERS

BUTTONS = 6
ASK_ZONE = "In which time zone are you? Write the zone or a city in it: /timezone Lisbon"
HOW = "To add one: /reminders tomorrow at 9 call Lea. To cancel one: /reminders cancel 17."
LATER = "10m"
PAUSES = ("1 day", "1 week", "4 weeks")
MOST_WORDS = 24
"""That a time may have."""
MOST_DIGITS = 19
"""From which on a number is none of ours."""


async def _timezone(asked: Asked) -> Answer | Write:
    now = asked.clock.now()
    if not asked.words:
        known = await asked.db.read(lambda tx: people.get(tx, asked.person).timezone)
        shown = f"For you it is {local_time(now, asked.zone)}."
        return shown if known else f"I don't know where you are, and count in UTC. {ASK_ZONE}"
    found = zones.find(asked.words, now)
    name = found.zone
    if name is None:
        return _which(asked, found)
    return lambda tx: moving.told(moving.move_to(tx, asked.person, name, now), name, now)


def _which(asked: Asked, found: zones.Found) -> Answer:
    if not found.perhaps:
        return (
            f"I know no time zone “{asked.words}”. Write a large city in it, like /timezone"
            " Lisbon, or its name, like Europe/Lisbon."
        )
    choices = tuple(Choice(label=name, words=f"/timezone {name}") for name in found.perhaps)
    offers = ", ".join(found.perhaps)
    if found.offset is None:
        return Question(f"Do you mean {offers}? Write /timezone {found.perhaps[0]}", choices)
    return Question(
        "Clocks differ in summer and winter, so I have to know the place. Is it like in"
        f" {offers}? Write /timezone {found.perhaps[0]}, or a city near you.",
        choices,
    )


async def _reminders(asked: Asked) -> Answer | Write:
    if not asked.words:
        return await _list(asked)
    first, _, rest = asked.words.partition(" ")
    if first.casefold() == "cancel":
        return lambda tx: _cancel(tx, asked, rest)
    return lambda tx: _add(tx, asked)


async def _list(asked: Asked) -> Answer:
    there = await asked.db.read(lambda tx: schedule.to_come(tx, asked.person, planning.ASKED_FOR))
    if not there:
        return f"Nothing is scheduled. {HOW}"
    lines = [listed(one, asked.zone) for one in there]
    choices = tuple(
        Choice(label=f"Cancel #{one.id}", words=f"/reminders cancel {one.id}")
        for one in there[:BUTTONS]
    )
    return Question("\n".join([*lines, "", HOW]), choices)


def _cancel(tx: Tx, asked: Asked, words: str) -> str:
    if not words.strip():
        return "Which one? /reminders lists them with their numbers."
    try:
        one = planning.meant(tx, asked.person, words)
    except ToolError as error:
        return str(error)
    schedule.cancel(tx, one.person, one.id)
    return f"Cancelled: {listed(one, asked.zone)}"


def _add(tx: Tx, asked: Asked) -> str:
    """A time and what it is about, in this order: the longest beginning that is a time."""
    words = asked.words.split()
    for number in range(min(len(words), MOST_WORDS), 0, -1):
        if words[number - 1].casefold() in FILLERS:
            continue  # in "at 9 the pill" it is part of what follows
        when, what = " ".join(words[:number]).rstrip(",:"), " ".join(words[number:])
        try:
            if not what:
                resolve(when, asked.clock.now(), _zone(tx, asked))
                return f"And of what? Write it behind the time: /reminders {when} call Lea."
            return _planned(asked, _plan(tx, asked, what, when))
        except NoTimeError:
            continue
        except ToolError as error:
            return str(error)
    return f"I find no time at the beginning of that. {HOW}"


def _plan(
    tx: Tx, asked: Asked, what: str, when: str, puts_off: Scheduled | None = None
) -> Scheduled | None:
    return planning.plan(
        tx,
        asked.item,
        purpose=puts_off.purpose if puts_off else "reminder",
        what=what,
        when=when,
        now=asked.clock.now(),
        puts_off=puts_off,
        apart=timedelta(0),
    )


def _planned(asked: Asked, one: Scheduled | None) -> str:
    if one is None:
        return ASK_ZONE
    return f"#{one.id} {one.text}: {moment_and_rule(one.rule, one.due_at, asked.zone)}"


async def _snooze(asked: Asked) -> Write:
    when, _, number = asked.words.partition("#")

    def work(tx: Tx) -> str:
        one = _snoozed(tx, asked, number.strip())
        if one is None:
            return "There was no reminder that I could repeat."
        try:
            return _planned(asked, _plan(tx, asked, one.text, when.strip() or LATER, puts_off=one))
        except NoTimeError:
            return f"I can't read “{when.strip()}”. Write it like /snooze 10m or /snooze tomorrow."
        except ToolError as error:
            return str(error)

    return work


def _snoozed(tx: Tx, asked: Asked, number: str) -> Scheduled | None:
    """The one with this number, or the one that came last."""
    if number.isdecimal():
        return schedule.get(tx, asked.person, int(number)) if len(number) < MOST_DIGITS else None
    return schedule.last_that_fired(tx, asked.person, asked.item.conversation, planning.ASKED_FOR)


async def _quiet(asked: Asked) -> str | Write:
    if not asked.words:
        now = await asked.db.read(lambda tx: timing.get(tx, asked.person).quiet)
        shown = f"{now}" if now and now.length else "none"
        return f"Quiet hours: {shown}. To change them: /quiet 23:00-08:00, or /quiet none"

    def work(tx: Tx) -> str:
        try:
            text = pausing.set_hours(tx, asked.person, asked.words)
        except ToolError as error:
            return str(error)
        inside = [
            one
            for one in schedule.to_come(tx, asked.person, ("check_in",))
            if planning.remark_of_quiet_hours(tx, one)
        ]
        lines = [listed(one, asked.zone) for one in inside]
        return "\n".join([text, *(["These lie in them, and will wait:"] if lines else []), *lines])

    return work


async def _pause(asked: Asked) -> Answer | Write:
    if not asked.words:
        choices = tuple(Choice(label=label, words=f"/pause {label}") for label in PAUSES)
        return Question("For how long? Write it like /pause 1w or /pause until Friday.", choices)
    return lambda tx: _paused(tx, asked, asked.words)


async def _resume(asked: Asked) -> Write:
    return lambda tx: _paused(tx, asked, "resume")


def _paused(tx: Tx, asked: Asked, words: str) -> str:
    try:
        return pausing.set_pause(tx, asked.person, words, asked.clock.now(), _zone(tx, asked))
    except ToolError as error:
        return str(error)


def _zone(tx: Tx, asked: Asked) -> ZoneInfo:
    return zone_of(people.get(tx, asked.person).timezone)


SCHEDULE_COMMANDS = (
    Command("reminders", "what is scheduled; add or cancel", _reminders, "[WHEN WHAT]"),
    Command("snooze", "have the last reminder come again later", _snooze, "10m"),
    Command("timezone", "tell me where you are, or see it", _timezone, "Europe/Lisbon"),
    Command("quiet", "hours in which I don't write unasked", _quiet, "23:00-08:00"),
    Command("pause", "write nothing but reminders for a while", _pause, "1w"),
    Command("resume", "end a pause", _resume),
)
