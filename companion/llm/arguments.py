"""Arguments of calls as models write them, made into JSON where that can be."""

import json
import re
from typing import Any

import json_repair

from companion.foreign_json import read_json
from companion.text import clean

DEEPEST = 50
LONGEST = 50_000
FENCES = 2
"""Within each other, around the arguments."""
_FENCE = re.compile(r"```[\w-]*")
_BRACKET = re.compile(r"[{}\[\]]")
_DOUBTFUL_ESCAPE = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")


def as_json(arguments: object, *, complete: bool = True) -> str:
    """JSON text of an object, or the text as it came where none can be made of it.

    Valid JSON stays as it is to the byte. `complete` is false for arguments that were cut off:
    closing them would give them a meaning that they never had.
    """
    if arguments is None or arguments == "":
        return "{}"
    if not isinstance(arguments, str):
        return dumps(arguments)
    if _is_object(arguments) and not _DOUBTFUL_ESCAPE.search(arguments):
        return clean(arguments)
    value = parsed(arguments, complete=complete)
    return dumps(value) if isinstance(value, dict) else clean(arguments)


def parsed(text: str, *, complete: bool = True) -> Any:
    """What JSON `text` means, mended where that can be, or None."""
    for _ in range(3):
        value = _read(text, complete=complete)
        if not isinstance(value, str) or value == text:
            return value
        text = value
    return None


def dumps(value: object) -> str:
    """JSON text of `value`, every script as it is."""
    return clean(json.dumps(_cleaned(value), ensure_ascii=False))


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): _cleaned(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return value


def _is_object(text: str) -> bool:
    try:
        return isinstance(read_json(text), dict)
    except ValueError:
        return False


def _read(text: str, *, complete: bool) -> Any:
    for _ in range(FENCES + 1):
        try:
            return read_json(text)
        except ValueError:
            text = text.strip()
        fence = _FENCE.match(text)
        if fence is None:
            break
        text = text[fence.end() :].removesuffix("```")
    if not complete or not _may_be_mended(text):
        return None
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _may_be_mended(text: str) -> bool:
    """Whether `text` is something that somebody meant to be an object.

    json-repair 0.64 makes a value of any text, and takes seconds over brackets nested by the
    thousand.
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > LONGEST:
        return False
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        if depth > DEEPEST:
            return False
    return True
