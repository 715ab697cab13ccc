"""Makes, lists and cancels what a person asked for, within limits."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from companion.errors import ToolError
from companion.events import TimerFired
from companion.storage import people, schedule, timing
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place
from companion.storage.schedule import Scheduled
from companion.timed.in_words import moment_and_rule
from companion.timed.purposes import zone_of
from companion.timed.quiet import end_of_quiet
from companion.timed.recurrence import shortest_gap
from companion.timed.when import When, resolve

ASKED_FOR = ("reminder", "check_in")
"""The purposes of what a person asked for, and sees in their list."""
MOST = 20
APART = timedelta(minutes=5)
AHEAD = timedelta(days=366)
TEXT_CHARS = 500
ASK_ZONE = (
    "Not scheduled: you don't know in which time zone they are. Ask them once where they are, call"
    " set_timezone with their answer, and then schedule it."
)


def plan(
    tx: Tx,
    item: InboxItem,
    *,
    purpose: str,
    what: str,
    when: str,
    now: datetime,
    puts_off: Scheduled | None = None,
    apart: timedelta = APART,
) -> Scheduled | None:
    """Have something happen in the chat of `item`; None if first the person has to be asked where
    they are.

    What `puts_off` another that came takes the place of what put it off before. Within `apart` of
    it there may be nothing else.

    Raises:
        ToolError: it can't be, and why.
    """
    text = what.strip()
    if not text:
        raise ToolError("Say what it is about.")
    if len(text) > TEXT_CHARS:
        raise ToolError(f"That is {len(text)} characters long; {TEXT_CHARS} are the most.")
    known = people.get(tx, item.person).timezone
    time = resolve(when, now, zone_of(known))
    parent = puts_off.id if puts_off else _parent(tx, item, time)
    others = schedule.to_come(tx, item.person, ASKED_FOR)
    before = [o for o in others if puts_off and (o.parent, o.text) == (puts_off.id, text)]
    _require_room([o for o in others if o not in before], time, now, zone_of(known), apart)
    if known is None and not time.absolute and timing.ask_zone(tx, item.person, now):
        return None
    for one in before:
        schedule.cancel(tx, one.person, one.id)
    return schedule.add(
        tx,
        Place(item.conversation, item.person, item.address),
        purpose=purpose,
        text=text,
        rule=time.rule,
        due_at=time.first,
        now=now,
        parent=parent,
        event=item.id,
    )


def _parent(tx: Tx, item: InboxItem, time: When) -> int | None:
    """The timed event in whose turn this is asked for: such a one may lead to one more, once."""
    if not isinstance(item.event, TimerFired):
        return None
    one = schedule.get(tx, item.person, item.event.schedule)
    if one is not None and one.parent is not None:
        raise ToolError(
            "This timed event was itself made in the turn of another, so it can't make a further"
            " one. Ask the person, and schedule it when they answer."
        )
    if time.rule.repeats != "once":
        raise ToolError(
            "Nobody asked now, so you can schedule something once, not again and again."
        )
    return item.event.schedule


def _require_room(
    others: Sequence[Scheduled], time: When, now: datetime, zone: ZoneInfo, apart: timedelta
) -> None:
    if time.rule.repeats != "yearly" and time.first - now > AHEAD:
        raise ToolError("That is more than a year ahead.")
    if time.rule.repeats == "cron" and shortest_gap(time.rule.cron) < APART:
        raise ToolError("That is too often: every 5 minutes is the most.")
    if len(others) >= MOST:
        raise ToolError(
            f"There are {MOST} already, which is the most. One has to be cancelled first."
        )
    for other in others:
        if abs(other.due_at - time.first) < apart:
            raise ToolError(
                f"#{other.id}, “{other.text}”, comes within 5 minutes of that"
                f" ({moment_and_rule(other.rule, other.due_at, zone)}). Take a time 5 minutes away,"
                " or cancel that one and make one of both."
            )


def remark_of_quiet_hours(tx: Tx, one: Scheduled) -> str:
    """What to say when a check-in falls into quiet hours; empty where it doesn't."""
    quiet = timing.get(tx, one.person).quiet
    if one.purpose == "reminder" or quiet is None:
        return ""
    zone = zone_of(people.get(tx, one.person).timezone)
    if end_of_quiet(quiet, one.due_at, zone) is None:
        return ""
    return (
        f" It lies in their quiet hours ({quiet}): it will wait until those end, or be left out if"
        " that is hours later. Say so; a reminder would come at its time."
    )


def meant(tx: Tx, person: int, words: str) -> Scheduled:
    """What the person calls by its number, or by words in it.

    Raises:
        ToolError: it is none of theirs, or more than one.
    """
    wanted = words.strip().removeprefix("#").casefold()
    there = schedule.to_come(tx, person, ASKED_FOR)
    found = [one for one in there if wanted == str(one.id)]
    found = found or [one for one in there if wanted and wanted in one.text.casefold()]
    if len(found) == 1:
        return found[0]
    if not there:
        raise ToolError("Nothing is scheduled.")
    known = "; ".join(f"#{one.id} {one.text}" for one in found or there)
    fault = "More than one has" if found else "None has"
    raise ToolError(f"{fault} “{words.strip()}” in it. Give a number: {known}")
