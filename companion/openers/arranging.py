"""Puts into the schedule that a person is written to first: one row that comes every day.

When in the day it is looked at, and whether anything comes of it, is for the judge.
"""

from datetime import datetime, time

from companion.storage import openers, people, schedule
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.openers import Wish
from companion.timed.purposes import zone_of
from companion.timed.recurrence import Rule

OPENER = "opener"
"""The purpose of such a row."""


def set_wish(tx: Tx, asked_in: InboxItem, wish: Wish, now: datetime) -> None:
    """Remember what the person wants; openers come to the chat in which they asked for them."""
    openers.set_wish(tx, asked_in.person, wish, now)
    for one in schedule.to_come(tx, asked_in.person, [OPENER]):
        schedule.cancel(tx, asked_in.person, one.id)
    if wish == "off":
        return
    zone = zone_of(people.get(tx, asked_in.person).timezone)
    rule = Rule(
        repeats="daily",
        first_day=now.astimezone(zone).date(),
        wall_time=time(0),
        zone=zone.key,
    )
    place = people.Place(asked_in.conversation, asked_in.person, asked_in.address)
    schedule.add(
        tx, place, purpose=OPENER, text="", rule=rule, due_at=now, now=now, event=asked_in.id
    )
