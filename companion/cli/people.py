"""`companion people`: who talks with it, who may, and who may not."""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import Subparsers, operators_home, print_json
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.people.operating import Known
    from companion.people.pairing import Approved, Pairing
    from companion.storage.database import Tx
    from companion.storage.strangers import Request


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("people", help="who talks with it, and who may")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="everybody, with their accounts, and who asks")
    listing.set_defaults(run=run)
    approving = actions.add_parser("approve", help="let somebody in")
    approving.add_argument("who", metavar="CODE", help="their code, or their account as list shows")
    approving.set_defaults(run=approve)
    denying = actions.add_parser("deny", help="turn somebody down who asks to be let in")
    denying.add_argument("who", metavar="CODE", help="their code, or their account as list shows")
    denying.set_defaults(run=deny)
    revoking = actions.add_parser("revoke", help="shut somebody out")
    revoking.add_argument("who", metavar="NAME", help="their name, or one account as list shows")
    revoking.set_defaults(run=revoke)
    for action in (listing, approving, denying, revoking):
        action.add_argument("--json", action="store_true", help="for scripts")


async def run(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.people import operating

    pairing = _pairing()
    async with looked_at(operators_home(os.environ), os.environ) as database:
        everybody, asking = await database.read(
            lambda tx: (operating.everybody(tx), operating.asking(tx, pairing))
        )
    if args.json:
        print_json([*map(_known, everybody), *map(_request, asking)])
        return 0
    if not everybody and not asking:
        sys.stdout.write("Nobody yet.\n")
    for known in everybody:
        person = known.person
        accounts = ", ".join(
            f"{one.account.platform}:{one.account.user}{' shut out' if one.revoked else ''}"
            for one in known.accounts
        )
        owner = ", the owner" if known.owns else ""
        sys.stdout.write(f"{person.id}  {person.name}  ({accounts or person.kind}){owner}\n")
    for request in asking:
        who = request.stranger
        sys.stdout.write(f"-  {who.name}  ({who.platform}:{who.user}) asks to be let in\n")
    return 0


async def approve(args: argparse.Namespace) -> int:
    from companion.cli.database import changed
    from companion.clock import SystemClock
    from companion.people import welcome

    pairing = _pairing()

    def work(tx: Tx) -> Approved | str:
        approved = pairing.approve(tx, args.who)
        if not isinstance(approved, str):
            welcome.leave(tx, approved, SystemClock())
        return approved

    async with changed(operators_home(os.environ), os.environ) as database:
        approved = await database.write(work)
    if isinstance(approved, str):
        raise OperatorError(approved)
    account = f"{approved.platform}:{approved.user}"
    if args.json:
        print_json({"person": asdict(approved.person), "account": account, "owner": approved.owns})
        return 0
    sys.stdout.write(f"{approved.person.name} ({account}) may talk with it now.\n")
    if approved.owns:
        sys.stdout.write("They are the owner, and can approve others: /people, /approve, /deny.\n")
    return 0


async def deny(args: argparse.Namespace) -> int:
    from companion.cli.database import changed

    pairing = _pairing()
    async with changed(operators_home(os.environ), os.environ) as database:
        denied = await database.write(lambda tx: pairing.deny(tx, args.who))
    if isinstance(denied, str):
        raise OperatorError(denied)
    account = f"{denied.platform}:{denied.user}"
    if args.json:
        print_json({"account": account})
    else:
        sys.stdout.write(f"{account} gets no answer any more.\n")
    return 0


async def revoke(args: argparse.Namespace) -> int:
    from companion.cli.database import changed
    from companion.clock import SystemClock
    from companion.people import operating

    async with changed(operators_home(os.environ), os.environ) as database:
        gone = await database.write(
            lambda tx: operating.revoke(tx, args.who, SystemClock(), trusted=_at_the_machine())
        )
    if isinstance(gone, str):
        raise OperatorError(gone)
    accounts = [f"{account.platform}:{account.user}" for account in gone]
    if args.json:
        print_json({"accounts": accounts})
        return 0
    sys.stdout.write(
        f"{', '.join(accounts)}: shut out. What is remembered of them stays; to let them in again:"
        f" companion people approve {accounts[0]}\n"
    )
    return 0


def _pairing() -> Pairing:
    from companion.clock import SystemClock
    from companion.people.pairing import Pairing

    return Pairing(SystemClock(), random.SystemRandom(), trusted=_at_the_machine())


def _at_the_machine() -> frozenset[str]:
    """The platforms where only who sits at this machine can write."""
    from adapters.terminal.translate import PLATFORM

    return frozenset({PLATFORM})


def _known(known: Known) -> dict[str, Any]:
    return {
        **asdict(known.person),
        "owner": known.owns,
        "accounts": [{**asdict(one.account), "revoked": one.revoked} for one in known.accounts],
    }


def _request(request: Request) -> dict[str, Any]:
    who = request.stranger
    account = {"platform": who.platform, "user": who.user, "name": who.name}
    return {"id": None, "kind": "asks", "name": who.name, "owner": False, "accounts": [account]}
