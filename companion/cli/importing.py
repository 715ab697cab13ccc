"""`companion import`: an export taken back."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers, operators_home

if TYPE_CHECKING:
    from datetime import datetime

    from companion.home import Home
    from companion.portable.archive import Export
    from companion.portable.taking import Outcome
    from companion.storage.database import Tx


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("import", help="take back what `memory export` or /export wrote")
    parser.add_argument("file", type=Path, metavar="FILE", help="the zip")
    parser.add_argument(
        "--as",
        dest="name",
        metavar="NAME",
        help="give it to this person: a number or name of `companion people list`, or who talks"
        " with `companion chat --as NAME`; by default to whoever has the accounts in it",
    )
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    from companion.portable.archive import read

    export = read(args.file)
    outcome = await _take(operators_home(os.environ), export, args.name)
    _tell(outcome)
    return 0


async def _take(home: Home, export: Export, name: str | None) -> Outcome:
    from companion.clock import SystemClock
    from companion.opening import open_storage
    from companion.portable.files import put_files
    from companion.portable.taking import owner, take_as

    clock = SystemClock()
    async with open_storage(home.path, clock=clock) as storage:

        def work(tx: Tx) -> Outcome:
            now = clock.now()
            person = owner(tx, export, now) if name is None else _named(tx, name, now)
            memory = storage.memories.of(person)
            return take_as(tx, export, memory, now, as_named=name is not None)

        outcome = await storage.db.write(work)
    put_files(home.attachments_of(outcome.person), export.files)
    return outcome


def _named(tx: Tx, name: str, now: datetime) -> int:
    """Who is called `name` here; nobody yet is somebody new, who talks by that name."""
    from adapters.terminal.translate import address
    from companion.cli.chat import person_named
    from companion.cli.whom import fitting, person_meant
    from companion.storage import people

    if fitting(tx, name):
        return person_meant(tx, name).id
    sender = person_named(name)
    return people.place(tx, address(sender), sender, now).person


def _tell(outcome: Outcome) -> None:
    if not outcome.added:
        sys.stdout.write(f"Nothing was new: all of that is there already, for {outcome.name}.\n")
        return
    from companion.text import counted

    counts = outcome.taken.added
    sys.stdout.write(
        f"New for {outcome.name} (number {outcome.person}): "
        f"{counted(counts.get('message', 0), 'message')},"
        f" {counted(counts.get('working_context', 0), 'version')} of the working context and"
        f" {counted(counts.get('passage', 0), 'note')}.\n"
    )
    for left_out in outcome.taken.elsewhere:
        sys.stdout.write(f"Left out, for it is somebody else's here: {left_out}\n")
