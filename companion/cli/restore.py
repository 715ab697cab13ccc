"""`companion restore`: the database brought back from a copy."""

import argparse
import os
import sys
from pathlib import Path

from companion.cli.arguments import Subparsers, operators_home


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("restore", help="bring the database back from a backup")
    parser.add_argument("file", type=Path, metavar="FILE", help="what `companion backup` wrote")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    from companion.clock import SystemClock
    from companion.opening import open_erasing
    from companion.storage.restore import restore

    home = operators_home(os.environ)
    key = os.environ.get("COMPANION_DB_KEY") or None
    clock = SystemClock()
    replaced = restore(args.file, home, key=key, clock=clock)
    if home.erased.is_file():
        async with open_erasing(home, clock, os.environ):
            pass  # who was erased since is not in it any more
    sys.stdout.write(f"Restored {args.file} to {home.database}.\n")
    if replaced is not None:
        sys.stdout.write(f"What was there before is kept as {replaced}.\n")
    return 0
