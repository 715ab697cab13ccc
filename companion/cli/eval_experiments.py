"""`companion eval kv`, `docqa`, `dmr`, `opener`, `update`: the paper's experiments, and ours."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import Subparsers, operators_home, operators_settings, print_json

if TYPE_CHECKING:
    from companion.evaluation.experiment import Experiment, Traits
    from companion.evaluation.results import Run
    from companion.evaluation.running import Plan, Ran
    from companion.evaluation.summary import Summary
    from companion.settings import Settings

Make = Callable[[argparse.Namespace], "Experiment[Any]"]


def add(subparsers: Subparsers) -> None:
    kv = _experiment(subparsers, "kv", "follow keys whose values are keys (paper, figure 7)", _kv)
    kv.add_argument(
        "data", type=Path, metavar="FOLDER", help="with pairs.json and orderings_*_nestings.jsonl"
    )
    docqa = _experiment(subparsers, "docqa", "answer from many documents (figure 5)", _docqa)
    docqa.add_argument(
        "--documents", type=_positive, nargs="+", metavar="K", help="how many (default 1 to 700)"
    )
    docqa.set_defaults(limit=50)
    dmr = _experiment(subparsers, "dmr", "a question about an old conversation (table 2)", _dmr)
    opener = _experiment(subparsers, "opener", "what it writes first (table 3)", _opener)
    update = _experiment(subparsers, "update", "facts that are contradicted later", _update)
    for parser in (docqa, dmr, opener, update):
        parser.add_argument("data", type=Path, metavar="FILE", help="JSON lines")


def _kv(args: argparse.Namespace) -> Experiment[Any]:
    from companion.evaluation.kv import KV

    return KV(args.data)


def _docqa(args: argparse.Namespace) -> Experiment[Any]:
    from companion.evaluation.docqa import DOCUMENTS, DocQA

    return DocQA(args.data, args.documents or DOCUMENTS)


def _dmr(args: argparse.Namespace) -> Experiment[Any]:
    from companion.evaluation.dmr import DMR

    return DMR(args.data)


def _opener(args: argparse.Namespace) -> Experiment[Any]:
    from companion.embedders.build import build_embedder
    from companion.evaluation.opener import Opener

    return Opener(args.data, build_embedder(operators_settings(os.environ).embedder, os.environ))


def _update(args: argparse.Namespace) -> Experiment[Any]:
    from companion.evaluation.update import Update

    return Update(args.data)


def _experiment(
    subparsers: Subparsers, name: str, about: str, make: Make
) -> argparse.ArgumentParser:
    parser = subparsers.add_parser(name, help=about)
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--model",
        metavar="NAME",
        help="another model than the configured one: of the endpoint, of this machine, or a GGUF",
    )
    who.add_argument(
        "--scripted-reader",
        action="store_true",
        help="no model: a script that searches, pages on and quotes, to see what memory allows",
    )
    parser.add_argument(
        "--judge",
        metavar="NAME",
        help="the model that judges answers, of the configured endpoint (default: the same; for"
        " the scripted reader none)",
    )
    parser.add_argument("--window", type=_tokens, metavar="TOKENS", help="force a smaller window")
    parser.add_argument("--page-size", type=_positive, metavar="HITS", help="of search results")
    parser.add_argument(
        "--method",
        choices=("companion", "baseline", "both"),
        default="both",
        help="the model with its memory, the model alone, or both",
    )
    parser.add_argument("--limit", type=_positive, metavar="N", help="samples at each point")
    parser.add_argument("--seed", type=int, default=0, help="which samples (default 0)")
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="samples at once")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help=f"for the results (default eval-{name})"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    parser.add_argument("--json", action="store_true", help="the summary for a script")
    parser.set_defaults(run=run, make=make, name=name)
    return parser


async def run(args: argparse.Namespace) -> int:
    """Run the experiment, print its table and draw its plots. 1 when samples failed.

    Raises:
        OperatorError: the data, the settings or the folder are not as they have to be.
    """
    from companion import logs
    from companion.cli.eval_progress import Progress
    from companion.evaluation.results import Results
    from companion.evaluation.running import run as run_experiment

    experiment: Experiment[Any] = args.make(args)
    async with AsyncExitStack() as stack:
        plan, about = await _plan(args, experiment, stack)
        results = Results(args.out or Path(f"eval-{args.name}"))
        results.begin(about, resume=args.resume)
        logs.set_up("INFO", file=results.folder / "run.log")
        progress = stack.enter_context(Progress())
        with results:
            ran = await run_experiment(experiment, plan, results, progress.begin, progress.tell)
    return _show(args, experiment, about, ran, results.folder)


async def _plan(
    args: argparse.Namespace, experiment: Experiment[Any], stack: AsyncExitStack
) -> tuple[Plan, Run]:
    from companion.evaluation.configuration import adapted, by_window, settings_for
    from companion.evaluation.reader import NAME, TITLE
    from companion.evaluation.reader_server import ReaderServer
    from companion.evaluation.results import Run
    from companion.evaluation.running import Plan
    from companion.local.weights import Weights

    mine = operators_settings(os.environ)
    weights = Weights(operators_home(os.environ).path)
    judge: Settings | None = None
    if args.scripted_reader:
        server = await stack.enter_async_context(ReaderServer())
        settings = adapted(mine, name=NAME, base_url=server.base_url)
    else:
        settings = judge = settings_for(mine, args.model, weights)
    if args.judge:
        judge = settings_for(mine, args.judge, weights)
    if args.window:
        settings = by_window(settings, args.window)
    traits = experiment.traits
    if args.page_size:
        traits = replace(traits, page_size=args.page_size)
    methods = traits.methods if args.method == "both" else (args.method,)
    about = Run(
        experiment=traits.name,
        model=TITLE if args.scripted_reader else _name(settings),
        judge=_name(judge) if judge and traits.judged else "",
        embedder=settings.embedder.model or settings.embedder.kind,
        window=_window(settings),
        page_size=traits.page_size or settings.memory.page_size,
        seed=args.seed,
        data=args.data.name,
    )
    plan = Plan(
        traits=traits,
        settings=settings,
        environ=os.environ,
        methods=[method for method in methods if method in traits.methods],
        judge=judge,
        limit=args.limit,
        seed=args.seed,
        jobs=args.jobs,
    )
    return plan, about


def _name(settings: Settings) -> str:
    return settings.models[0].name if settings.models else Path(settings.local.model).stem


def _window(settings: Settings) -> int:
    return settings.models[0].window_tokens if settings.models else settings.local.window_tokens


def _show(
    args: argparse.Namespace, experiment: Experiment[Any], about: Run, ran: Ran, folder: Path
) -> int:
    from companion.evaluation.summary import summarise

    if ran.results:
        summary = summarise(experiment.traits, about, ran.results, len(ran.failed))
        _show_figures(experiment.traits, summary, folder, as_json=args.json)
    for name, why in ran.failed.items():
        sys.stderr.write(f"{name} failed: {why}\n")
    if ran.failed:
        sys.stderr.write(f"Samples that failed: {len(ran.failed)}. --resume tries them again.\n")
    return 1 if ran.failed else 0


def _show_figures(traits: Traits, summary: Summary, folder: Path, *, as_json: bool) -> None:
    import json

    from companion.evaluation.plots import NoPlotError, draw
    from companion.evaluation.summary import table

    record = json.dumps(summary.record(), indent=2, ensure_ascii=False)
    (folder / "summary.json").write_text(record + "\n", encoding="utf-8")
    if as_json:
        print_json(summary.record())
    else:
        sys.stdout.write(table(traits, summary))
    try:
        sys.stderr.write(f"{draw(traits, summary, folder)}\n")
    except NoPlotError as error:
        sys.stderr.write(f"{error}\n")


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("it has to be 1 or more")
    return number


def _tokens(text: str) -> int:
    if (number := int(text)) < 4096:
        raise argparse.ArgumentTypeError("a companion needs 4096 tokens or more")
    return number
