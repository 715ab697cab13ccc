"""`companion memory export` and `erase`: everything of a person, written to a file or gone."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers, operators_home
from companion.cli.whom import add_whom, person_meant
from companion.error_text import why
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.home import Home
    from companion.storage.people import Person

BACKUPS = (
    "Backups that you made may still hold it ({folder} has {count}). Restoring one erases it again,"
    " as long as {ledger} is there.\n"
)


def add_actions(actions: Subparsers) -> None:
    export = actions.add_parser("export", help="everything of a person, as a zip")
    export.add_argument("-o", dest="file", type=Path, metavar="FILE", help="where to")
    export.set_defaults(run=run_export)
    erase = actions.add_parser("erase", help="everything of a person, for good")
    erase.add_argument("--yes", action="store_true", help="without asking")
    erase.set_defaults(run=run_erase)
    for action in (export, erase):
        add_whom(action)


async def run_export(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.clock import SystemClock
    from companion.event_text import zone
    from companion.portable.export import export
    from companion.portable.files import PART, write_whole
    from companion.storage.database import Tx

    home, now = operators_home(os.environ), SystemClock().now()

    def write(tx: Tx) -> Path:
        person = person_meant(tx, args.person)
        path = args.file or Path(f"companion-{person.id}-{now:%Y-%m-%d}.zip")
        files = home.attachments_of(person.id)
        fill = partial(export, tx, person.id, files=files, now=now, zone=zone(person.timezone))
        if path.exists():
            raise OperatorError(f"There is a file at {path} already. Name another one.")
        try:
            write_whole(path, path.with_name(f"{path.name}{PART}"), fill)
        except OSError as error:
            raise OperatorError(f"{path} cannot be written: {why(error)}.") from error
        return path

    async with looked_at(home, os.environ) as database:
        path = await database.read(write)
    sys.stdout.write(f"{path}\n")
    return 0


async def run_erase(args: argparse.Namespace) -> int:
    from companion.cli.asking import agreed, can_ask
    from companion.cli.database import looked_at

    home = operators_home(os.environ)
    async with looked_at(home, os.environ) as database:
        person = await database.read(lambda tx: person_meant(tx, args.person))
    if not args.yes:
        if not can_ask():
            raise OperatorError(f"Add --yes to erase everything of {person.name} for good.")
        if not agreed(f"Erase everything of {person.name} for good?", default=False):
            sys.stdout.write("Nothing was erased.\n")
            return 1
    await _erase(home, person)
    sys.stdout.write(f"Everything of {person.name} is erased.\n")
    backups = sum(1 for _ in home.backups.glob("*")) if home.backups.is_dir() else 0
    sys.stdout.write(BACKUPS.format(folder=home.backups, count=backups, ledger=home.erased))
    return 0


async def _erase(home: Home, person: Person) -> None:
    from companion.clock import SystemClock
    from companion.opening import open_erasing

    async with open_erasing(home, SystemClock(), os.environ) as erasing:
        await erasing.erase(person.id)
