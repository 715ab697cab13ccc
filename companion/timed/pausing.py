"""Quiet hours and pauses, as people write them."""

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from companion.errors import ToolError
from companion.event_text import local_time
from companion.storage import timing
from companion.storage.database import Tx
from companion.timed.hours import Hours
from companion.timed.when import MOST_CHARS, resolve
from companion.timed.when_parts import TOO_FAR, NoTimeError, later, length
from companion.timed.when_words import LENGTHS

LONGEST = timedelta(days=366)
HOW_LONG = "Write a pause like 1w, 3 days, or until Friday 18:00."
NONE = Hours(time(0), time(0))


def quiet_hours(words: str) -> Hours:
    """Quiet hours written like "23:00-08:00", "23-8" or "none"; equal ends are none, too.

    Raises:
        ToolError: they are written in another way.
    """
    text = " ".join(words[:MOST_CHARS].split()).casefold()
    if text in ("none", "off", "no"):
        return NONE
    text = re.sub(r"\s*(?:to|until)\s*", "-", text)
    text = re.sub(r"(?<![\d:])(\d{1,2})(?![\d:])", r"\1:00", text)
    try:
        return Hours.parse(text.replace("24:00", "00:00"))
    except ValueError as error:
        raise ToolError(
            f"“{words}” are no hours that I can read. Write them like 23:00-08:00, or none."
        ) from error


def pause_until(words: str, now: datetime, zone: ZoneInfo) -> datetime:
    """When a pause ends that is written like "1w", "3 days", "until Friday 18:00".

    Raises:
        ToolError: it is written in another way, or is longer than a year.
    """
    text = re.sub(r"^(?:for|until|till)\s+", "", words.strip().casefold())
    if len(text) > MOST_CHARS:
        raise ToolError(f"That is too long to be a time. {HOW_LONG}")
    try:
        until = _end_of_pause(text, now, zone)
    except NoTimeError as error:
        raise ToolError(f"I can't read “{words}”. {HOW_LONG}") from error
    if until <= now:
        raise ToolError(f"“{words}” is no time at all. {HOW_LONG}")
    if until - now > LONGEST:
        raise ToolError(TOO_FAR)
    return until


def _end_of_pause(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    if len(text) <= MOST_CHARS and LENGTHS.fullmatch(text):
        return later(now, length(text))
    end = resolve(text, now, zone)
    if end.rule.repeats != "once":
        raise NoTimeError("A pause has one end.")
    return end.first


def set_hours(tx: Tx, person: int, words: str) -> str:
    """Keep the person's quiet hours, and say which they are now. Errors as in `quiet_hours`."""
    hours = quiet_hours(words)
    timing.set_quiet(tx, person, hours)
    if not hours.length:
        return "No quiet hours."
    return f"Quiet hours: {hours}. Only reminders come then."


def set_pause(tx: Tx, person: int, words: str, now: datetime, zone: ZoneInfo) -> str:
    """Keep a pause, or end it with "resume", and say so. Errors as in `pause_until`."""
    if words.strip().casefold() in ("resume", "none", "off", "end"):
        timing.set_paused(tx, person, None)
        return "No pause any more. What it kept back is not made up for."
    until = pause_until(words, now, zone)
    timing.set_paused(tx, person, until)
    return f"Until {local_time(until, zone)} only reminders come. /resume ends that."
