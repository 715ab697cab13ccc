"""`companion eval recall FILE`: how much of what was said search finds again."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers, operators_settings, print_json

if TYPE_CHECKING:
    from companion.evaluation.recall import Figure, Report

DEPTHS_SHOWN = (5, 10, 20)


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("recall", help="how much of what was said is found again")
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="chats with questions, LoCoMo's form"
    )
    parser.add_argument(
        "--ablation", action="store_true", help="also without each sign, to see what it brings"
    )
    parser.add_argument("--json", action="store_true", help="for a script")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        OperatorError: the settings are wrong, or FILE is no such file.
    """
    reports = asyncio.run(_measure(args.file, ablation=args.ablation))
    if args.json:
        print_json({way: asdict(report) for way, report in reports.items()})
    else:
        for way, report in reports.items():
            sys.stdout.write(f"{way} ({report.cpu_ms:.1f} ms of CPU a query)\n{table(report)}\n")
    return 0


async def _measure(path: Path, *, ablation: bool) -> dict[str, Report]:
    from companion.embedders.build import build_embedder
    from companion.evaluation.recall import ABLATIONS, measure

    embedder = build_embedder(operators_settings(os.environ).embedder, os.environ)
    try:
        return await measure(path, embedder, tuple(ABLATIONS) if ablation else ("all signs",))
    finally:
        if embedder is not None:
            await embedder.close()


def table(report: Report) -> str:
    """`report` as text in columns: R@k, its interval for each k, and any@k."""
    heads = [f"{f'R@{depth}':>18}{f'any@{depth}':>8}" for depth in DEPTHS_SHOWN]
    rows = [f"{'':14}{'questions':>10}" + "".join(heads)]
    for line in report.lines:
        cells = [
            f"{_with_interval(line.recall[depth]):>18}{line.any[depth].value:8.1f}"
            for depth in DEPTHS_SHOWN
        ]
        rows.append(f"{line.category:14}{line.questions:10}" + "".join(cells))
    return "\n".join(rows) + "\n"


def _with_interval(figure: Figure) -> str:
    return f"{figure.value:.1f} ({figure.low:.0f} to {figure.high:.0f})"
