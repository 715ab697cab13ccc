"""Fetching a model's weights, with somebody at the terminal who may break it off."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

from companion.cli.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from companion.local.weights import Model, Weights

KEPT = "What was fetched is kept; next time it goes on from there."


def fetched(weights: Weights, model: Model) -> Path:
    """The checked file of `model`, fetched if need be.

    Raises:
        ModelFileError: it cannot be had.
        KeyboardInterrupt: they broke it off, and were told what is kept.
    """
    try:
        with closing(Progress()) as progress:
            return weights.pull(model, progress)
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{KEPT}\n")
        raise
