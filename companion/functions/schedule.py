"""Having things happen later: reminders and check-ins, and what time it is for the person."""

from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from companion.errors import ToolError
from companion.functions.declare import Outcome, Turn, Write, function
from companion.functions.sources import require_own
from companion.storage import outbox, people, schedule
from companion.storage.database import Tx
from companion.timed import moving, pausing, zones
from companion.timed.in_words import listed, moment_and_rule, remark
from companion.timed.planning import ASK_ZONE, ASKED_FOR, meant, plan, remark_of_quiet_hours
from companion.timed.purposes import zone_of


@function
async def schedule_event(
    turn: Turn,
    what: Annotated[str, Field(description="What it is about, so that it makes sense then.")],
    when: Annotated[
        str,
        Field(
            description="In English: “tomorrow at 9”, “in 2 hours”, “next Friday 18:30”, an ISO"
            " date, “every weekday at 8”, “every year on 3 May”, or cron with five fields."
        ),
    ],
    kind: Annotated[
        Literal["reminder", "check_in"],
        Field(description="check_in: write to them about it, or leave it if it makes no sense."),
    ] = "reminder",
) -> Write:
    """Remind the person of something later, or check in with them, because they asked for it. It
    reaches this chat and nobody else. Then tell them the day, time and zone that you get back."""
    await require_own(turn, what)

    def write(tx: Tx) -> Outcome:
        one = plan(tx, turn.item, purpose=kind, what=what, when=when, now=turn.now())
        if one is None:
            return Outcome(text=ASK_ZONE, again=True)
        zone = people.get(tx, turn.item.person).timezone
        text = f"Scheduled as #{one.id}: {moment_and_rule(one.rule, one.due_at, zone_of(zone))}."
        if zone is None:
            text += " Their time zone is not known: say that this is in UTC."
        text += (
            remark(one.rule) + remark_of_quiet_hours(tx, one) + _after_midnight(turn, when, zone)
        )
        if "@" in what:
            text += " Only this chat hears of it: say so if they meant somebody else."
        told = bool(outbox.sent_texts(tx, turn.item.person, turn.item.id))
        return Outcome(text=text, again=not told)

    return write


def _after_midnight(turn: Turn, when: str, zone: str | None) -> str:
    local = turn.now().astimezone(zone_of(zone))
    if local.hour >= 4 or "tomorrow" not in when.casefold():
        return ""
    return " It is just after midnight for them: say which day you took for “tomorrow”."


@function
async def list_events(turn: Turn) -> Write:
    """List what is scheduled for this person. Set request_heartbeat to read the result."""

    def write(tx: Tx) -> Outcome:
        there = schedule.to_come(tx, turn.item.person, ASKED_FOR)
        lines = [listed(one, turn.zone) for one in there]
        return Outcome(text="\n".join(lines) or "Nothing is scheduled.")

    return write


@function
async def cancel_event(
    turn: Turn,
    event: Annotated[str, Field(description="Its number, such as 17, or words in it.")],
) -> Write:
    """Cancel something that is scheduled for this person."""
    await require_own(turn, event)

    def write(tx: Tx) -> Outcome:
        one = meant(tx, turn.item.person, event)
        schedule.cancel(tx, one.person, one.id)
        return Outcome(text=f"Cancelled: {listed(one, turn.zone)}")

    return write


@function
async def set_timezone(
    turn: Turn,
    place: Annotated[str, Field(description="An IANA zone, such as Europe/Lisbon, or its city.")],
) -> Write:
    """Keep in which time zone the person is now, once they told you."""
    await require_own(turn, place.rpartition("/")[2])
    found = zones.find(place, turn.now())
    name = found.zone
    if name is None:
        offers = f" Perhaps {', '.join(found.perhaps)}?" if found.perhaps else ""
        raise ToolError(
            f"“{place}” is no zone.{offers} Give the IANA zone of the place that they named; if all"
            " you know is an offset, ask them for a city."
        )

    def write(tx: Tx) -> Outcome:
        moved = moving.move_to(tx, turn.item.person, name, turn.now())
        return Outcome(text=moving.told(moved, name, turn.now()), zone=ZoneInfo(name))

    return write


@function
async def set_quiet(
    turn: Turn,
    hours: Annotated[
        str, Field(description="Such as 23:00-08:00, or none; empty: as before.")
    ] = "",
    pause: Annotated[
        str, Field(description="Such as 1 week, or until Friday 18:00; resume to end one.")
    ] = "",
) -> Write:
    """Keep when the person doesn't want you to write unasked. Reminders come all the same."""
    if not (hours.strip() or pause.strip()):
        raise ToolError("Give hours, or a pause, or both.")
    await require_own(turn, hours, pause)

    def write(tx: Tx) -> Outcome:
        done = []
        if hours.strip():
            done.append(pausing.set_hours(tx, turn.item.person, hours))
        if pause.strip():
            zone = zone_of(people.get(tx, turn.item.person).timezone)
            done.append(pausing.set_pause(tx, turn.item.person, pause, turn.now(), zone))
        return Outcome(text=" ".join(done))

    return write
