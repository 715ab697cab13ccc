"""`companion persona`: whom it can be, and characters from cards."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli.arguments import (
    Subparsers,
    operators_home,
    operators_settings,
    print_json,
)
from companion.error_text import why
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.people.personas import Personas


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("persona", help="whom it can be")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="whom it can be; /persona chooses one in the chat")
    listing.set_defaults(run=list_all)
    importing = actions.add_parser("import", help="take a character card, V2 or V3, PNG or JSON")
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.set_defaults(run=import_card)
    showing = actions.add_parser("show", help="what one of them is like")
    showing.add_argument("name", metavar="NAME")
    showing.set_defaults(run=show)
    for action in (listing, importing, showing):
        action.add_argument("--json", action="store_true", help="for scripts")


def list_all(args: argparse.Namespace) -> int:
    names = _personas().names
    if args.json:
        print_json(names)
    else:
        sys.stdout.writelines(f"{name}\n" for name in names)
    return 0


def import_card(args: argparse.Namespace) -> int:
    from companion.people import cards

    try:
        with args.file.open("rb") as file:
            content = file.read(cards.MOST_BYTES + 1)
    except OSError as error:
        raise OperatorError(f"{args.file} cannot be read: {why(error)}.") from error
    card = cards.read(content)
    name = _personas().add(card)
    if args.json:
        print_json({"name": name, "left_out": card.left_out})
        return 0
    sys.stdout.write(
        f"{card.name} is here as {name}: {len(card.greetings)} greetings,"
        f" {len(card.lore)} entries of a lorebook. In the chat: /persona {name}\n"
    )
    sys.stdout.writelines(f"Left out: {what}.\n" for what in card.left_out)
    return 0


def show(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    persona = _personas().get(args.name)
    if args.json:
        print_json(asdict(persona))
        return 0
    sys.stdout.write(f"{persona.text}\n")
    for greeting in persona.greetings:
        sys.stdout.write(f"\nGreeting: {greeting}\n")
    for entry in persona.lore:
        sys.stdout.write(f"\nOn {', '.join(entry.keys)}: {entry.text}\n")
    return 0


def _personas() -> Personas:
    from companion.people.personas import Personas

    return Personas(operators_home(os.environ).path, operators_settings(os.environ).agent)
