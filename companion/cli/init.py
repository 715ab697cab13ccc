"""`companion init`: write a settings file, asking for what cannot be guessed."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from companion.cli.arguments import Subparsers, as_called, operators_home
from companion.cli.asking import agreed, ask, can_ask
from companion.errors import OperatorError


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("init", help="write a settings file with your answers in it")
    parser.add_argument("--yes", action="store_true", help="ask nothing, take these arguments")
    parser.add_argument("--name", metavar="NAME", help="what the companion calls itself")
    parser.add_argument("--base-url", metavar="URL", help="the address of its model's endpoint")
    parser.add_argument("--model", metavar="NAME", help="what the endpoint calls the model")
    parser.add_argument("--api-key-env", metavar="VARIABLE", help="what holds the endpoint's key")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from companion.cli.choosing import ask_for_a_model
    from companion.cli.settings_file import write_settings
    from companion.local.found import find_servers

    path = _target(os.environ)
    asking = can_ask() and not args.yes
    if not asking and not args.yes:
        raise OperatorError("Nobody is here to ask: say --yes, and what you know as arguments.")
    if path.exists() and not (asking and agreed(f"{path} is there. Replace it?", default=False)):
        raise OperatorError(f"{path} is there already, and was left as it is.")
    name, model = args.name, _model_of(args)
    if asking:
        name = name or ask("What is it called?", "Mira")
        model = model or ask_for_a_model(asyncio.run(find_servers()), os.environ)
    write_settings(path, name=name, model=model)
    sys.stdout.write(f"Wrote {path}, where every setting is explained.\n")
    sys.stdout.write(_next(model, os.environ))
    return 0


def _target(environ: Mapping[str, str]) -> Path:
    named = environ.get("COMPANION_CONFIG", "").strip()
    return Path(named).expanduser() if named else operators_home(environ).path / "companion.toml"


def _model_of(args: argparse.Namespace) -> dict[str, str | int]:
    given = {"name": args.model, "base_url": args.base_url, "api_key_env": args.api_key_env}
    return {key: value for key, value in given.items() if value is not None}


def _next(model: Mapping[str, str | int], environ: Mapping[str, str]) -> str:
    variable = str(model.get("api_key_env", "OPENAI_API_KEY"))
    remote = bool(model) and "127.0.0.1" not in str(model.get("base_url", ""))
    if remote and not environ.get(variable, "").strip():
        return f"Its key is not in the environment yet: set {variable}. Then: {as_called()} chat\n"
    return f"Now: {as_called()} chat\n"
