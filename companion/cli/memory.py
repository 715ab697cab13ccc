"""`companion memory`: what is remembered of a person, shown, searched, exported or erased."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import (
    Subparsers,
    operators_home,
    operators_settings,
    print_json,
)
from companion.cli.taking_along import add_actions
from companion.cli.whom import WHOM, add_whom, person_meant

if TYPE_CHECKING:
    from companion.storage.database import Tx


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("memory", help="what is remembered of a person")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="the working context and what was kept")
    show.set_defaults(run=run_show)
    search = actions.add_parser("search", help="find what was said or kept")
    search.add_argument("words", metavar="WORDS", help="what to look for")
    search.add_argument(
        "--explain", action="store_true", help="what each sign adds to the score of each hit"
    )
    search.set_defaults(run=run_search)
    add_whom(show)
    search.add_argument("--of", "--as", dest="person", metavar="PERSON", help=WHOM)
    for action in (show, search):
        action.add_argument("--json", action="store_true", help="for scripts")
    add_actions(actions)


async def run_show(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.storage import passages, working_contexts

    def query(tx: Tx) -> tuple[str, list[passages.Passage]]:
        person = person_meant(tx, args.person)
        version = working_contexts.current(tx, person.id)
        return (version.text if version else ""), passages.everything(tx, person.id)

    async with looked_at(operators_home(os.environ), os.environ) as database:
        text, kept = await database.read(query)
    if args.json:
        print_json({"working_context": text, "archival": [_plain(passage) for passage in kept]})
        return 0
    sys.stdout.write(f"{text.strip()}\n" if text else "Nothing yet.\n")
    for passage in kept:
        about = f"({passage.source}{_past(passage.until)})"
        sys.stdout.write(f"\n{passage.told_at:%Y-%m-%d} {about}\n{passage.text}\n")
    return 0


async def run_search(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.clock import SystemClock
    from companion.context import working_context
    from companion.embedders.build import build_embedder
    from companion.event_text import zone
    from companion.search.mentions import lines_with
    from companion.storage import working_contexts
    from companion.storage.archival_search import ArchivalStorage
    from companion.storage.recall_search import RecallStorage
    from companion.text import counted

    embedder = build_embedder(operators_settings(os.environ).embedder, os.environ)
    try:
        async with looked_at(operators_home(os.environ), os.environ) as database:
            person = await database.read(lambda tx: person_meant(tx, args.person))
            now = SystemClock().now().astimezone(zone(person.timezone))
            said = await RecallStorage(database, embedder, person.id).search(args.words, now=now)
            kept = await ArchivalStorage(database, embedder, person.id).search(args.words)
            version = await database.read(lambda tx: working_contexts.current(tx, person.id))
            lines = working_context.about_person(version.text if version else "")
            in_mind = lines_with(lines, args.words)
    finally:
        if embedder is not None:
            await embedder.close()
    if args.json:
        recall = [_plain(hit) for hit in said.items]
        archival = [_plain(hit) for hit in kept.items]
        print_json({"in_mind": in_mind, "recall": recall, "archival": archival})
        return 0
    sys.stdout.writelines(f"In mind: {line}\n" for line in in_mind)
    for hit in said.items:
        sys.stdout.write(f"{hit.said_at:%Y-%m-%d %H:%M}  {hit.by}: {hit.said}\n")
        sys.stdout.write(_explained(hit.parts) if args.explain else "")
    for passage in kept.items:
        kept_at = f"{passage.created_at:%Y-%m-%d %H:%M}  (kept{_past(passage.until)})"
        sys.stdout.write(f"{kept_at} {passage.text}\n")
        sys.stdout.write(_explained(passage.parts) if args.explain else "")
    if args.explain:
        messages, notes = counted(said.total, "message"), counted(kept.total, "note")
        sys.stdout.write(f"Found in all: {messages}, {notes}.\n")
    if not in_mind and not said.items and not kept.items:
        sys.stdout.write(f"Nothing was found for {args.words!r}.\n")
    return 0


def _past(until: datetime | None) -> str:
    return f", true until {until:%Y-%m-%d}" if until else ""


def _explained(parts: Mapping[str, float]) -> str:
    """The score of a hit and what it is made of, a line."""
    shares = " + ".join(f"{name} {part:.2f}" for name, part in parts.items() if part)
    return f"                  {sum(parts.values()):.2f} = {shares or '0'}\n"


def _plain(row: Any) -> dict[str, Any]:
    """A row of a store as JSON has it."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in asdict(row).items()
    }
