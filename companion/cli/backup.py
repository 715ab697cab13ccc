"""`companion backup`: a copy of the database, also while a companion runs."""

import argparse
import os
import sys
from pathlib import Path

from companion.cli.arguments import Subparsers, operators_home


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("backup", help="copy the database, also while it is in use")
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="where to; by default among its backups"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from companion.clock import SystemClock
    from companion.storage.backup import back_up

    home = operators_home(os.environ)
    target = args.file
    if target is None:
        home.make()
        target = home.backups / f"companion-{SystemClock().now():%Y%m%dT%H%M%SZ}.db"
    key = os.environ.get("COMPANION_DB_KEY") or None
    back_up(home.database, target, key=key)
    sys.stdout.write(f"{target}\n")
    if key:
        sys.stderr.write("It is encrypted: keep COMPANION_DB_KEY as well, but elsewhere.\n")
    return 0
