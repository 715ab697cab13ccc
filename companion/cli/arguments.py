"""What the commands have in common."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from companion.home import Home
    from companion.settings import Settings

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def as_called() -> str:
    """What the operator has to write for this command: as they did now."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return "python -m companion"
    found = shutil.which(called.name)
    on_the_path = found is not None and called.exists() and Path(found).samefile(called)
    return called.name if on_the_path else str(called)


def operators_home(environ: Mapping[str, str]) -> Home:
    """The home that this command is about. It may not be there yet."""
    from companion.home import Home
    from companion.settings import home

    return Home(home(environ))


def operators_settings(environ: Mapping[str, str]) -> Settings:
    """The settings in force.

    Raises:
        SettingsError: something in them is wrong.
    """
    from companion.settings import load, settings_path

    return load(settings_path(environ), environ)


def print_json(value: Any) -> None:
    """Print `value` for a script, every script's letters as they are."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
