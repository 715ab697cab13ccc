"""`companion model pull|list|remove`: the weights of models that run on this machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from companion.cli.arguments import Subparsers, operators_home, print_json
from companion.errors import ModelFileError

if TYPE_CHECKING:
    from companion.local.weights import Model, Weights

DEFAULT = "qwen2.5-coder-1.5b"


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("model", help="models that run on this machine")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    pull = actions.add_parser("pull", help="fetch a model, and check that it is what it should be")
    pull.add_argument(
        "what",
        nargs="?",
        default=DEFAULT,
        metavar="NAME|PATH|URL",
        help=f"a name that `companion model list` shows, or any GGUF file (default: {DEFAULT})",
    )
    pull.add_argument("--sha256", metavar="DIGEST", help="what it must have; a URL needs one")
    pull.add_argument("--name", metavar="NAME", help="what to call it here")
    pull.set_defaults(run=run, action=_pull)
    show = actions.add_parser("list", help="show what is here and what can be fetched by name")
    show.add_argument("--json", action="store_true", help="for a script")
    show.set_defaults(run=run, action=_list)
    remove = actions.add_parser("remove", help="delete a model from this machine")
    remove.add_argument("name", metavar="NAME")
    remove.set_defaults(run=run, action=_remove)


def run(args: argparse.Namespace) -> int:
    """Do one of the three.

    Raises:
        ModelFileError: it cannot be done; the text says why.
    """
    from companion.local.weights import Weights

    args.action(args, Weights(operators_home(os.environ).path))
    return 0


def _pull(args: argparse.Namespace, weights: Weights) -> None:
    from companion.cli.fetching import fetched

    model = _wanted(args.what, args.sha256, args.name)
    path = fetched(weights, model)
    sys.stdout.write(f"{model.name} is in {path}, {path.stat().st_size / 1e6:,.0f} MB\n")


def _wanted(what: str, sha256: str | None, name: str | None) -> Model:
    from companion.local.sources import FileSource, UrlSource
    from companion.local.weights import CATALOGUE, Model

    digest = sha256.strip().lower() if sha256 else None
    if what in CATALOGUE:
        return CATALOGUE[what]
    if what.startswith(("http://", "https://")):
        if digest is None:
            raise ModelFileError(
                "A file from the network needs --sha256: the digest that its maker gives for it."
            )
        stem = Path(urlsplit(what).path).stem
        return Model(name=name or stem, about=what, sources=(UrlSource(what),), sha256=digest)
    path = Path(what).expanduser()
    if not path.is_file():
        known = ", ".join(CATALOGUE)
        raise ModelFileError(f"{what} is no file, no URL, and none of the known models: {known}.")
    source = FileSource(path.resolve())
    return Model(name=name or path.stem, about=str(path), sources=(source,), sha256=digest)


def _list(args: argparse.Namespace, weights: Weights) -> None:
    from companion.local.weights import CATALOGUE

    kept = weights.kept()
    offered = [model for name, model in CATALOGUE.items() if not weights.path(name).is_file()]
    if args.json:
        here = [{"name": m.name, "path": str(m.path), "bytes": m.size} for m in kept]
        print_json({"here": here, "offered": [{"name": m.name, "bytes": m.size} for m in offered]})
        return
    for model in kept:
        sys.stdout.write(f"{model.name}  {model.size / 1e6:,.0f} MB  {model.path}\n")
    for wanted in offered:
        size = (wanted.size or 0) / 1e6
        sys.stdout.write(
            f"{wanted.name}  {size:,.0f} MB  not here: companion model pull {wanted.name}"
            f"  ({wanted.about})\n"
        )


def _remove(args: argparse.Namespace, weights: Weights) -> None:
    freed = weights.remove(args.name)
    sys.stdout.write(f"{args.name} is gone; that freed {freed / 1e6:,.0f} MB\n")
