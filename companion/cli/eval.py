"""`companion eval chat`: how well the configured model keeps and recalls what it is told."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from companion.cli import eval_recall
from companion.cli.arguments import Subparsers, operators_home, operators_settings

if TYPE_CHECKING:
    from companion.evaluation.chat import Heard, Outcome
    from companion.local.weights import Weights
    from companion.settings import Settings


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


async def run(args: argparse.Namespace) -> int:
    """Have the chat and print how it went.

    Raises:
        OperatorError: there is no such model here.
    """
    from companion.clock import SystemClock
    from companion.evaluation.chat import hold, shipped_script
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


def settings_for(settings: Settings, model: str | None, weights: Weights) -> Settings:
    """`settings` with `model` in them, and a local model by its path: the chat has its own home.

    Raises:
        ModelFileError: the model is to run on this machine, and is not here.
    """
    here = {kept.name for kept in weights.kept()}
    if settings.models and (model is None or not (model in here or model.endswith(".gguf"))):
        first = settings.models[0]
        chosen = first.model_copy(update={"name": model or first.name})
        return settings.model_copy(update={"models": (chosen,)})
    path = str(weights.find(model or settings.local.model))
    local = settings.local.model_copy(update={"model": path})
    return settings.model_copy(update={"models": (), "local": local})


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
