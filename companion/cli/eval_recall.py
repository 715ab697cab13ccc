"""`companion eval recall FILE`: how much of what was said search finds again."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers, operators_settings, print_json

if TYPE_CHECKING:
    from companion.embedders.protocol import Embedder
    from companion.evaluation.recall import Figure, Report
    from companion.evaluation.recall_speed import Speed

DEPTHS_SHOWN = (5, 10, 20)


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("recall", help="how much of what was said is found again")
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="chats with questions, LoCoMo's form"
    )
    parser.add_argument(
        "--ablation", action="store_true", help="also without each sign, to see what it brings"
    )
    parser.add_argument(
        "--speed",
        type=int,
        nargs="+",
        metavar="MESSAGES",
        help="instead time searches among so many messages of one person",
    )
    parser.add_argument(
        "--others", type=int, default=0, metavar="PEOPLE", help="others in the file, for --speed"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="questions of each category")
    parser.add_argument("--seed", type=int, default=0, help="which questions (default 0)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="also for the figures as JSON")
    parser.add_argument("--json", action="store_true", help="for a script")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        OperatorError: the settings are wrong, or FILE is no such file.
    """
    if args.speed:
        _show_speeds(await _speeds(args.file, args.speed, args.others), as_json=args.json)
    else:
        reports = await _reports(args)
        if args.out:
            _keep(reports, args.out)
        _show_reports(reports, as_json=args.json)
    return 0


async def _reports(args: argparse.Namespace) -> dict[str, Report]:
    from companion.evaluation.recall import ABLATIONS, measure

    async with _embedder() as embedder:
        return await measure(
            args.file,
            embedder,
            tuple(ABLATIONS) if args.ablation else ("all signs",),
            limit=args.limit,
            seed=args.seed,
        )


async def _speeds(path: Path, sizes: Sequence[int], others: int) -> list[Speed]:
    from companion.evaluation.recall_speed import measure_speed

    async with _embedder() as embedder:
        return [await measure_speed(path, embedder, messages=size, others=others) for size in sizes]


@asynccontextmanager
async def _embedder() -> AsyncIterator[Embedder | None]:
    from companion.embedders.build import build_embedder

    embedder = build_embedder(operators_settings(os.environ).embedder, os.environ)
    try:
        yield embedder
    finally:
        if embedder is not None:
            await embedder.close()


def _keep(reports: dict[str, Report], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    record = {way: asdict(report) for way, report in reports.items()}
    text = json.dumps(record, indent=2, ensure_ascii=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")


def _show_reports(reports: dict[str, Report], *, as_json: bool) -> None:
    if as_json:
        print_json({way: asdict(report) for way, report in reports.items()})
        return
    for way, report in reports.items():
        sys.stdout.write(f"{way} ({report.cpu_ms:.1f} ms of CPU a query)\n{table(report)}\n")


def _show_speeds(speeds: list[Speed], *, as_json: bool) -> None:
    if as_json:
        print_json([asdict(speed) for speed in speeds])
        return
    for speed in speeds:
        sys.stdout.write(
            f"{speed.messages} messages, {speed.others} others: {speed.cpu_ms:.1f} ms of CPU a"
            f" query, {speed.wall_p50_ms:.1f} ms wall (p95 {speed.wall_p95_ms:.1f}),"
            f" {speed.bytes_a_message:.0f} bytes a message\n"
        )


def table(report: Report) -> str:
    """`report` as text in columns: R@k, its interval for each k, and any@k; MRR."""
    heads = [f"{f'R@{depth}':>18}{f'any@{depth}':>8}" for depth in DEPTHS_SHOWN]
    rows = [f"{'':14}{'questions':>10}" + "".join(heads) + f"{'MRR':>8}"]
    for line in report.lines:
        cells = [
            f"{_with_interval(line.recall[depth]):>18}{line.any[depth].value:8.1f}"
            for depth in DEPTHS_SHOWN
        ]
        cells.append(f"{line.mrr.value:8.3f}")
        rows.append(f"{line.category:14}{line.questions:10}" + "".join(cells))
    return "\n".join(rows) + "\n"


def _with_interval(figure: Figure) -> str:
    return f"{figure.value:.1f} ({figure.low:.0f} to {figure.high:.0f})"
