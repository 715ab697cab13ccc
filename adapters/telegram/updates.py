"""Updates as they come from Telegram: which can be read, and up to where a batch is confirmed."""

import json
from collections.abc import Sequence
from typing import Any

from adapters.telegram.to_event import UPDATES
from companion.foreign_json import is_deep

Raw = dict[str, Any]
"""An update as Telegram wrote it."""

HIGHEST = 2**31 - 1
"""A greater number is none of Telegram's; confirming it would confirm all that ever comes."""


def read(body: bytes) -> Any:
    """What `body` means. One number that is too long for Python spoils nothing else in it.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return json.loads(body, parse_int=_whole)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 1000 else float("inf")


def number(given: object) -> int | None:
    """The number of an update; None where it has none that Telegram could give."""
    found = given.get("update_id") if isinstance(given, dict) else None
    return found if type(found) is int and 0 < found <= HIGHEST else None


def checked(given: object) -> Raw:
    """`given` as an update.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(given, dict) or number(given) is None:
        raise ValueError("an update without a number")
    if any(not isinstance(given[kind], dict) for kind in UPDATES if kind in given):
        raise ValueError("an update without what it tells of")
    if is_deep(given):
        raise ValueError("an update that is nested too deeply")
    return given


def next_offset(updates: Sequence[object], offset: int | None) -> int | None:
    """What to ask for after `updates`, which were asked for from `offset` on.

    They come in the order of their numbers and without a gap among those that wait. So one whose
    number can't be read has a number of its own behind the one before it, and as many as there are
    of them can be confirmed without confirming anything that has not come.
    """
    numbers = [number(update) for update in updates]
    highest = max((one for one in numbers if one is not None), default=None)
    if highest is None:
        return None if offset is None else offset + len(updates)
    behind = numbers[numbers.index(highest) :].count(None)
    return max(highest + behind + 1, offset or 0)
