"""`companion memory`: what is remembered of a person, shown, searched or exported."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import (
    Subparsers,
    operators_home,
    operators_settings,
    print_json,
)
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.storage.database import Tx
    from companion.storage.people import Person


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
    export = actions.add_parser("export", help="everything, a JSON object a line")
    export.set_defaults(run=run_export)
    for action in (show, search, export):
        action.add_argument(
            "--of",
            "--as",
            dest="person",
            metavar="PERSON",
            help="a number or name of `companion people list`; not needed while there is only one",
        )
    for action in (show, search):
        action.add_argument("--json", action="store_true", help="for scripts")


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
        sys.stdout.write(f"\n{passage.created_at:%Y-%m-%d} ({passage.source})\n{passage.text}\n")
    return 0


async def run_search(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at
    from companion.clock import SystemClock
    from companion.embedders.build import build_embedder
    from companion.event_text import zone
    from companion.storage.archival_search import ArchivalStorage
    from companion.storage.recall_search import RecallStorage

    embedder = build_embedder(operators_settings(os.environ).embedder, os.environ)
    try:
        async with looked_at(operators_home(os.environ), os.environ) as database:
            person = await database.read(lambda tx: person_meant(tx, args.person))
            now = SystemClock().now().astimezone(zone(person.timezone))
            said = await RecallStorage(database, embedder, person.id).search(args.words, now=now)
            kept = await ArchivalStorage(database, embedder, person.id).search(args.words)
    finally:
        if embedder is not None:
            await embedder.close()
    if args.json:
        recall = [_plain(hit) for hit in said.items]
        print_json({"recall": recall, "archival": [_plain(hit) for hit in kept.items]})
        return 0
    for hit in said.items:
        sys.stdout.write(f"{hit.said_at:%Y-%m-%d %H:%M}  {hit.speaker}: {hit.said}\n")
        sys.stdout.write(_explained(hit.parts) if args.explain else "")
    for passage in kept.items:
        sys.stdout.write(f"{passage.created_at:%Y-%m-%d %H:%M}  (kept) {passage.text}\n")
        sys.stdout.write(_explained(passage.parts) if args.explain else "")
    if args.explain:
        sys.stdout.write(f"{said.total} messages and {kept.total} notes are found in all.\n")
    if not said.items and not kept.items:
        sys.stdout.write(f"Nothing was found for {args.words!r}.\n")
    return 0


def _explained(parts: Mapping[str, float]) -> str:
    """The score of a hit and what it is made of, a line."""
    shares = " + ".join(f"{name} {part:.2f}" for name, part in parts.items() if part)
    return f"                  {sum(parts.values()):.2f} = {shares or '0'}\n"


async def run_export(args: argparse.Namespace) -> int:
    from companion.cli.database import looked_at

    async with looked_at(operators_home(os.environ), os.environ) as database:
        lines = await database.read(lambda tx: list(exported(tx, person_meant(tx, args.person))))
    for line in lines:
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    return 0


def person_meant(tx: Tx, words: str | None) -> Person:
    """The person with this number, name or account, in whatever case; the only one for None.

    Raises:
        OperatorError: there is none, or more than one.
    """
    from companion.storage import people

    everybody = people.everybody(tx)
    if words is None:
        fitting = everybody
    else:
        wanted = words.casefold()
        fitting = [
            person
            for person in everybody
            if wanted in (str(person.id), person.name.casefold())
            or any(wanted == account.user.casefold() for account in people.accounts(tx, person.id))
        ]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{person.id} {person.name}" for person in everybody) or "nobody yet"
    asked = f"More than one is called {words}" if fitting else f"There is no {words}"
    if words is None:
        asked = "Say --of whom" if fitting else "Nobody has talked with it"
    raise OperatorError(f"{asked}: {known}.")


def exported(tx: Tx, person: Person) -> Iterator[dict[str, Any]]:
    """All that is kept of `person`, a thing at a time, each with its kind as `type`."""
    from companion.storage import memory_state, messages, passages, people, usage, working_contexts

    accounts = [asdict(account) for account in people.accounts(tx, person.id)]
    yield {"type": "person", **asdict(person), "accounts": accounts}
    for version in reversed(working_contexts.history(tx, person.id)):
        yield {"type": "working_context", **_plain(version)}
    for message in messages.spoken(tx, person.id):
        yield {"type": "message", **_plain(message)}
    summary = memory_state.load(tx, person.id).summary
    if summary is not None:
        yield {"type": "summary", "text": summary.text}
    for passage in passages.everything(tx, person.id):
        yield {"type": "passage", **_plain(passage)}
    for row in usage.of(tx, person.id):
        used = asdict(row.usage)
        yield {"type": "usage", "day": row.day.isoformat(), "model": row.model, **used}


def _plain(row: Any) -> dict[str, Any]:
    """A row of a store as JSON has it."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in asdict(row).items()
    }
