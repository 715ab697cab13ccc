"""`companion doctor`: what is configured, reachable and missing, and what to do about it."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict

from companion.cli.arguments import Subparsers, operators_home, print_json

MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("doctor", help="what is configured, reachable and missing")
    parser.add_argument("--json", action="store_true", help="for scripts")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    from companion.cli.checks import examine

    findings = [finding async for finding in examine(operators_home(os.environ), os.environ)]
    if args.json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            sys.stdout.write(f"{MARKS[finding.state]}  {finding.about:<9} {finding.text}\n")
            if finding.advice:
                sys.stdout.write(f"{'':16}{finding.advice}\n")
    return 1 if any(finding.state == "fail" for finding in findings) else 0
