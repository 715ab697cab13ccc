"""What is scheduled, as a person reads it."""

from datetime import datetime, tzinfo

from companion.event_text import local_time
from companion.storage.schedule import Scheduled
from companion.timed.recurrence import Rule

NAMES = {"reminder": "reminder", "check_in": "check-in"}
_UNITS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_SHORT_MONTH, _LEAP_DAY = 28, (2, 29)


def listed(one: Scheduled, where: tzinfo) -> str:
    """A line of a list, led by the number that it is called by."""
    kind = "" if one.purpose == "reminder" else f" ({NAMES.get(one.purpose, one.purpose)})"
    held = "; waits until I can reach you" if one.state == "held" else ""
    return f"#{one.id} {one.text}{kind}: {moment_and_rule(one.rule, one.due_at, where)}{held}"


def moment_and_rule(rule: Rule, due_at: datetime, where: tzinfo) -> str:
    """When it comes next, with weekday and zone, and how often."""
    often = how_often(rule)
    return local_time(due_at, where) + (f", {often}" if often else "")


def how_often(rule: Rule) -> str:
    """How often, in a few words; empty for once."""
    if rule.repeats == "once":
        return ""
    if rule.repeats == "cron":
        return f"again and again (cron {rule.cron})"
    if rule.repeats == "weekdays":
        return "every weekday"
    unit = _UNITS[rule.repeats]
    return f"every {unit}" if rule.every == 1 else f"every {rule.every} {unit}s"


def remark(rule: Rule) -> str:
    """What the person should hear about a day that isn't in every month or year."""
    day = rule.first_day
    if day is None:
        return ""
    if rule.repeats == "yearly" and (day.month, day.day) == _LEAP_DAY:
        return " In years without a 29 February it comes on the 28th: say so."
    if rule.repeats == "monthly" and day.day > _SHORT_MONTH:
        return f" In months without a {day.day}th it comes on their last day: say so."
    return ""
