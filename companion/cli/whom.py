"""Whom a command is about."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.storage.database import Tx
    from companion.storage.people import Person

WHOM = "a number or name of `companion people list`; not needed while there is only one"


def add_whom(parser: argparse.ArgumentParser, text: str = WHOM) -> None:
    """Let the command be given a person, as its last word or with --of. `text` is its help."""
    whom = parser.add_mutually_exclusive_group()
    # with a default of its own it would undo --of when the last word is left out
    nothing = argparse.SUPPRESS
    whom.add_argument("person", nargs="?", default=nothing, metavar="PERSON", help=text)
    whom.add_argument("--of", "--as", dest="person", metavar="PERSON", help=argparse.SUPPRESS)


def fitting(tx: Tx, words: str) -> list[Person]:
    """The people with this number, name or account, in whatever case."""
    from companion.storage import people

    wanted = words.casefold()
    return [
        person
        for person in people.everybody(tx)
        if wanted in (str(person.id), person.name.casefold())
        or any(wanted == account.user.casefold() for account in people.accounts(tx, person.id))
    ]


def person_meant(tx: Tx, words: str | None) -> Person:
    """The person with this number, name or account; the only one for None.

    Raises:
        OperatorError: there is none, or more than one.
    """
    from companion.storage import people

    everybody = people.everybody(tx)
    meant = everybody if words is None else fitting(tx, words)
    if len(meant) == 1:
        return meant[0]
    if not everybody:
        raise OperatorError("Nobody has talked with it yet.")
    known = ", ".join(f"{person.id} {person.name}" for person in everybody)
    asked = f"More than one is called {words}" if meant else f"Nobody here is called {words}"
    if words is None:
        asked = "Say whom"
    raise OperatorError(f"{asked}. By number and name there are: {known}.")
