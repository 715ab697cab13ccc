"""`companion people`: who talks with it."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict

from companion.cli.arguments import Subparsers, operators_home, print_json


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("people", help="who talks with it")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="everybody, with their accounts")
    listing.add_argument("--json", action="store_true", help="for scripts")
    listing.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.storage import people

    async with looked_at(operators_home(os.environ), os.environ) as database:
        everybody = await database.read(
            lambda tx: [(person, people.accounts(tx, person.id)) for person in people.everybody(tx)]
        )
    if args.json:
        print_json(
            [
                {**asdict(person), "accounts": [asdict(account) for account in accounts]}
                for person, accounts in everybody
            ]
        )
        return 0
    if not everybody:
        sys.stdout.write("Nobody yet.\n")
    for person, accounts in everybody:
        known = ", ".join(f"{account.platform} {account.user}" for account in accounts)
        sys.stdout.write(f"{person.id}  {person.name}  ({known or person.kind})\n")
    return 0
