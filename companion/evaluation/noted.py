"""What a model reads when it has kept a note, taken apart again."""

import re
from dataclasses import dataclass

_PAST = re.compile(r"Past from now on, [^:]*: (.*?) If both are true", re.DOTALL)
_NEAR = re.compile(r"There is also: (.*?) If the new note", re.DOTALL)
_NOTE = re.compile(r"note (\d+) of [^:]*: “(.*?)”\.")


@dataclass(frozen=True, slots=True)
class Noted:
    """The notes that became past, and others that were named; the beginning of each by its
    number."""

    past: dict[int, str]
    near: dict[int, str]


def read_noted(result: str) -> Noted:
    """What keeping a note came to; nothing where it is no such result."""
    return Noted(_notes(_PAST, result), _notes(_NEAR, result))


def _notes(part: re.Pattern[str], result: str) -> dict[int, str]:
    found = part.search(result)
    return {int(number): text for number, text in _NOTE.findall(found[1])} if found else {}


def begins(fact: str, shown: str) -> bool:
    """Whether `shown` is `fact`, or what stands at its beginning."""
    return fact.startswith(shown.rstrip("(…). "))
