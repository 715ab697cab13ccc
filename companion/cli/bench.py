"""`companion bench`: measure what a turn costs."""

import argparse
import json
import platform
import sys

from companion.cli.arguments import Subparsers


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


def run(args: argparse.Namespace) -> int:
    from companion.bench.figures import as_json, as_table
    from companion.bench.turn import Plan, measure

    def tell(what: str) -> None:
        sys.stderr.write(f"Measuring {what} ...\n")

    figures = measure(Plan.quick() if args.quick else Plan(), tell)
    if args.json:
        sys.stdout.write(json.dumps(as_json(figures), indent=1) + "\n")
    else:
        machine = f"{platform.machine()}, Python {platform.python_version()}, one core"
        sys.stdout.write(f"{as_table(figures)}\n\nOn {machine}.\n")
    missed = [figure for figure in figures if figure.met is False]
    return 1 if args.check and missed else 0
