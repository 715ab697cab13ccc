"""`companion schedule`: what is to happen at times of its own, what fired, what did not and why."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import Subparsers, operators_home, print_json
from companion.cli.whom import add_whom, person_meant
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.storage.database import Tx
    from companion.storage.people import Person
    from companion.storage.schedule import Past, Scheduled


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "schedule",
        help="what comes at a time of its own, and what came",
        description="What comes at a time of its own, and what came. What a reminder is about is"
        " its person's alone, and not shown here.",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what is to come, of everybody or of one")
    listing.set_defaults(run=run_list)
    listing.add_argument("--all", action="store_true", help="also what is over")
    show = actions.add_parser("show", help="one of it, and what became of each of its times")
    show.set_defaults(run=run_show)
    cancel = actions.add_parser("cancel", help="keep it from happening")
    cancel.set_defaults(run=run_cancel)
    for action in (show, cancel):
        action.add_argument("number", type=int, help="as `companion schedule list` shows it")
    for action in (listing, show, cancel):
        action.add_argument("--json", action="store_true", help="for scripts")
    add_whom(listing, "a number or name of `companion people list`; everybody's without")


async def run_list(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.storage import people, schedule

    def query(tx: Tx) -> list[tuple[Person, Scheduled]]:
        who = [person_meant(tx, args.person)] if args.person else people.everybody(tx)
        rows = schedule.everything if args.all else schedule.to_come
        return [(person, one) for person in who for one in rows(tx, person.id)]

    async with looked_at(operators_home(os.environ), os.environ) as database:
        found = sorted(await database.read(query), key=lambda pair: pair[1].next_at)
    if args.json:
        print_json([_plain(person, one) for person, one in found])
    elif not found:
        sys.stdout.write("Nothing is scheduled.\n")
    for person, one in [] if args.json else found:
        sys.stdout.write(f"{_line(person, one)}\n")
    return 0


async def run_show(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.storage import schedule

    def query(tx: Tx) -> tuple[Person, Scheduled, list[Past]]:
        person, one = _meant(tx, args.number)
        return person, one, schedule.history(tx, person.id, one.id)

    async with looked_at(operators_home(os.environ), os.environ) as database:
        person, one, past = await database.read(query)
    if args.json:
        history = [
            {**_times(each), "outcome": each.outcome, "reason": each.reason} for each in past
        ]
        print_json({**_plain(person, one), "history": history})
        return 0
    sys.stdout.write(f"{_line(person, one)}\n")
    for each in past:
        why = f": {each.reason}" if each.reason else ""
        sys.stdout.write(f"   due {each.due_at:%Y-%m-%d %H:%M}Z {each.outcome}{why}\n")
    return 0


async def run_cancel(args: argparse.Namespace) -> int:
    from companion.cli.database import changed
    from companion.storage import schedule

    def work(tx: Tx) -> tuple[Person, Scheduled]:
        person, one = _meant(tx, args.number)
        if one.state not in ("active", "held"):
            raise OperatorError(f"{args.number} is over already ({one.state}).")
        schedule.cancel(tx, person.id, one.id)
        return person, one

    async with changed(operators_home(os.environ), os.environ) as database:
        person, one = await database.write(work)
    if args.json:
        print_json({**_plain(person, one), "state": "cancelled"})
    else:
        sys.stdout.write(f"Cancelled: {_line(person, one)}\n")
    return 0


def _meant(tx: Tx, number: int) -> tuple[Person, Scheduled]:
    """What has this number, and whose it is.

    Raises:
        OperatorError: nothing has it.
    """
    from companion.storage import people, schedule

    for person in people.everybody(tx):
        one = schedule.get(tx, person.id, number)
        if one is not None:
            return person, one
    raise OperatorError(f"Nothing has the number {number}. `companion schedule list` shows them.")


def _line(person: Person, one: Scheduled) -> str:
    from companion.timed.in_words import how_often

    often = how_often(one.rule)
    state = "" if one.state == "active" else f" ({one.state})"
    held = f", looked at {one.next_at:%H:%M}Z" if one.next_at > one.due_at else ""
    return (
        f"{one.id}  {person.name}  {one.purpose}{state}  {one.due_at:%Y-%m-%d %H:%M}Z{held}"
        f"{f', {often}' if often else ''}"
    )


def _plain(person: Person, one: Scheduled) -> dict[str, Any]:
    """What a script gets of it. Not its text: that is between the two of them."""
    return {
        "id": one.id,
        "person": person.id,
        "name": person.name,
        "purpose": one.purpose,
        "state": one.state,
        "repeats": one.rule.repeats,
        "zone": one.rule.zone,
        "due_at": one.due_at.isoformat(),
        "next_at": one.next_at.isoformat(),
    }


def _times(past: Past) -> dict[str, str]:
    return {"due_at": past.due_at.isoformat(), "at": past.at.isoformat()}
