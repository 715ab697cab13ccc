"""Running commands as people and scripts do."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment with nothing in it that would change what a command does."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "COMPANION_HOME": str(home), **(extra or {})}


def command(
    home: Path, *arguments: str, environ: Mapping[str, str] | None = None, entered: str = ""
) -> Ran:
    """Run `companion` with `arguments`; `entered` is all of its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "companion", *arguments],
        env=environment(home, environ),
        input=entered,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
