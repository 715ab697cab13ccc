"""A person is in another time zone now: wall times move along, fixed instants stay."""

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from companion.event_text import local_time
from companion.storage import people, schedule
from companion.storage.database import Tx
from companion.storage.schedule import Scheduled
from companion.timed.planning import ASKED_FOR


@dataclass(frozen=True, slots=True)
class Moved:
    """What the person asked for and still comes: what went along with them, and what stayed."""

    along: list[Scheduled]
    stayed: list[Scheduled]


def move_to(tx: Tx, person: int, zone: str, now: datetime) -> Moved:
    """Let the person be in `zone`, an IANA name."""
    people.set_timezone(tx, person, zone)
    for one in schedule.to_come(tx, person):
        if one.rule.zone is None or one.rule.zone == zone:
            continue
        following = replace(one.rule, zone=zone).next(now, one.last_day)
        # what is due already stays so: it is late, or held back
        due_at = one.due_at if one.due_at <= now or following is None else following
        schedule.move(tx, one, zone, due_at)
    theirs = schedule.to_come(tx, person, ASKED_FOR)
    return Moved(
        along=[one for one in theirs if one.rule.zone is not None],
        stayed=[one for one in theirs if one.rule.zone is None],
    )


def told(moved: Moved, zone: str, now: datetime) -> str:
    """What became of it, for the person."""
    where = ZoneInfo(zone)
    lines = [f"Noted. For you it is {local_time(now, where)}."]
    if moved.along:
        lines.append("These keep to your clock:")
        lines += [f"- {one.text}: next {local_time(one.due_at, where)}" for one in moved.along]
    if moved.stayed:
        lines.append("These stay at their moment, which is for you:")
        lines += [f"- {one.text}: {local_time(one.due_at, where)}" for one in moved.stayed]
    return "\n".join(lines)
