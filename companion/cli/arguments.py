"""What the commands have in common."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from companion.home import Home
    from companion.settings import Settings

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


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
