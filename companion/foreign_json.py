"""JSON that somebody else wrote: a model, a platform, a file that was handed over."""

import json
from typing import Any

DEEPEST = 100
"""Levels within each other; whoever walks through what was read meets no more."""


def read_json(text: str | bytes) -> Any:
    """What `text` means.

    Raises:
        ValueError: it is not JSON, or nested deeper than anything that is meant for us.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if is_deep(value):
        raise ValueError("it is nested too deeply")
    return value


def is_deep(value: object) -> bool:
    """Whether there is more within each other than `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
