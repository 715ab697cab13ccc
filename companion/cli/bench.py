"""`companion bench`: measure what a turn costs."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers

if TYPE_CHECKING:
    from adapters.bench.run import Stage
    from companion.bench.figures import Figure


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("bench", help="measure what a turn costs on this machine")
    kinds = parser.add_subparsers(title="what to measure", metavar="WHAT", required=True)
    turn = kinds.add_parser(
        "turn", help="CPU, time, memory and prompts of a turn, against a floor (minutes)"
    )
    turn.add_argument("--json", action="store_true", help="the figures as JSON")
    turn.add_argument("--quick", action="store_true", help="a tenth of it, to see that it works")
    turn.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    turn.set_defaults(run=run)
    planned = kinds.add_parser(
        "schedule", help="claiming 2,000 due events among a million (half a minute)"
    )
    planned.add_argument("--json", action="store_true", help="the figures as JSON")
    planned.add_argument("--quick", action="store_true", help="a tenth of it")
    planned.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    planned.set_defaults(run=run_schedule)
    for name, measured in (("telegram", run_telegram), ("discord", run_discord)):
        chats = kinds.add_parser(
            name, help=f"200 chats of 20 messages on a {name.title()} of its own (a minute)"
        )
        chats.add_argument("--json", action="store_true", help="the figures as JSON")
        chats.add_argument("--quick", action="store_true", help="a tenth of the chats")
        chats.add_argument(
            "--check", action="store_true", help="exit with 1 when a target is missed"
        )
        chats.set_defaults(run=measured)


def run_discord(args: argparse.Namespace) -> int:
    from adapters.bench.discord import DISCORD

    return _chats(DISCORD, args)


def run_telegram(args: argparse.Namespace) -> int:
    from adapters.bench.telegram import TELEGRAM

    return _chats(TELEGRAM, args)


def _chats(stage: Stage, args: argparse.Namespace) -> int:
    from adapters.bench.people import Crowd
    from adapters.bench.run import measure

    return _show(measure(stage, Crowd(chats=20) if args.quick else Crowd()), args)


def run_schedule(args: argparse.Namespace) -> int:
    from companion.bench.schedule import Plan, measure

    return _show(measure(Plan.quick() if args.quick else Plan(), _tell), args)


def _tell(what: str) -> None:
    sys.stderr.write(f"Measuring {what} ...\n")


def run(args: argparse.Namespace) -> int:
    from companion.bench.turn import Plan, measure

    return _show(measure(Plan.quick() if args.quick else Plan(), _tell), args, ", one core")


def _show(figures: Sequence[Figure], args: argparse.Namespace, where: str = "") -> int:
    from companion.bench.figures import as_json, as_table

    if args.json:
        sys.stdout.write(json.dumps(as_json(figures), indent=1) + "\n")
    else:
        machine = f"{platform.machine()}, Python {platform.python_version()}{where}"
        sys.stdout.write(f"{as_table(figures)}\n\nOn {machine}.\n")
    missed = [figure for figure in figures if figure.met is False]
    return 1 if args.check and missed else 0
