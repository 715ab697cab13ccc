"""`companion eval`: experiments. `chat` tells how well a model keeps what it is told."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from companion.cli import eval_experiments, eval_recall
from companion.cli.arguments import Subparsers, operators_home, operators_settings

if TYPE_CHECKING:
    from companion.evaluation.chat import Heard, Outcome


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("eval", help="measure how well a model, or search, does")
    experiments = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)
    chat = experiments.add_parser(
        "chat", help="a scripted chat of 31 turns: facts kept, recalled after a wipe, invented"
    )
    chat.add_argument(
        "--model",
        metavar="NAME",
        help="another model than the configured one: of the endpoint, of this machine, or a GGUF",
    )
    chat.add_argument("--json", action="store_true", help="JSON lines: each turn, then the outcome")
    chat.set_defaults(run=run)
    eval_recall.add(experiments)
    eval_experiments.add(experiments)


async def run(args: argparse.Namespace) -> int:
    """Have the chat and print how it went.

    Raises:
        OperatorError: there is no such model here.
    """
    from companion.clock import SystemClock
    from companion.evaluation.chat import hold, shipped_script
    from companion.evaluation.configuration import settings_for
    from companion.local.weights import Weights

    weights = Weights(operators_home(os.environ).path)
    settings = settings_for(operators_settings(os.environ), args.model, weights)
    tell = _print_json if args.json else _print
    outcome = await hold(shipped_script(), settings, os.environ, SystemClock(), tell)
    sys.stdout.write(
        json.dumps(outcome.record(), ensure_ascii=False) if args.json else table(outcome)
    )
    sys.stdout.write("\n")
    return 0


def table(outcome: Outcome) -> str:
    """The outcome for people."""
    took = outcome.seconds
    rows = [
        ("facts kept", f"{outcome.kept} of {outcome.facts}"),
        ("recalled after the wipe", f"{outcome.recalled} of {outcome.asked}"),
        ("invented", f"{len(outcome.invented)} of {len(outcome.lines)} lines"),
        ("seconds a turn", f"{took[len(took) // 2]:.1f} in the middle, {took[-1]:.1f} at most"),
    ]
    lines = [f"{name:<26}{value}" for name, value in rows]
    lines += [f"lost: {said}" for said in outcome.lost]
    lines += [f"invented: {line}" for line in outcome.invented]
    return "\n".join(lines)


def _print(turn: Heard) -> None:
    mark = {True: " (right)", False: " (wrong)", None: ""}[turn.right]
    sys.stdout.write(
        f"{turn.number:>3}  {turn.said}\n     {turn.answer}{mark}  {turn.seconds:.1f} s\n"
    )
    sys.stdout.flush()


def _print_json(turn: Heard) -> None:
    sys.stdout.write(json.dumps(asdict(turn), ensure_ascii=False) + "\n")
    sys.stdout.flush()
