"""Chats of several sessions between two speakers, in the form of Multi-Session Chat (Xu et al.).

The first speaker is the one whom the companion stands in for, the second the person it talks with.
Personas and summaries in the file are what the speakers were told to be, or were made from what
they said: no companion is shown them.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from companion.errors import OperatorError
from companion.evaluation.history import Said
from companion.evaluation.story_clock import BEGIN

_AGO = re.compile(r"(\d+) (minute|hour|day|week|month|year)s?")
_LENGTH = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
BETWEEN_LINES = timedelta(minutes=1)
SECOND = "Speaker 2"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A chat so far, the session that follows it, and the rest of the record.

    `persona` are the sentences about the person, the second speaker.
    """

    number: int
    history: tuple[Said, ...]
    following: tuple[str, ...]
    persona: tuple[str, ...]
    raw: dict[str, Any]


def read_sessions(path: Path) -> list[Recorded]:
    """The records in a file of JSON lines.

    Raises:
        OperatorError: it cannot be read, or has another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [_recorded(number, json.loads(line)) for number, line in enumerate(lines)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise _of_another_form(path) from error
    if not found:
        raise _of_another_form(path)
    return found


def _recorded(number: int, raw: dict[str, Any]) -> Recorded:
    history: list[Said] = []
    earlier = raw["previous_dialogs"]
    for at, session in enumerate(earlier):
        ago = _ago(session.get("time_back", "")) or timedelta(days=len(earlier) - at)
        began = BEGIN - ago - BETWEEN_LINES * len(session["dialog"])
        if history and began <= history[-1].at:
            began = history[-1].at + timedelta(hours=1)
        history += [
            Said(turn["text"], began + BETWEEN_LINES * line, _by_second(turn, line))
            for line, turn in enumerate(session["dialog"])
        ]
    following = tuple(turn["text"] for turn in raw["dialog"])
    sentences = tuple(sentence for text in raw["personas"][1] for sentence in _sentences(text))
    return Recorded(number, tuple(history), following, sentences, raw)


def _by_second(turn: dict[str, Any], line: int) -> bool:
    """Whether the second speaker said it. Where the file does not say, they took turns."""
    return turn["id"] == SECOND if "id" in turn else line % 2 == 1


def _ago(text: str) -> timedelta:
    return sum(
        (int(number) * _LENGTH[unit] for number, unit in _AGO.findall(text)), start=timedelta()
    )


def _sentences(text: str) -> Sequence[str]:
    """A persona's line may hold several sentences."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]


def _of_another_form(path: Path) -> OperatorError:
    return OperatorError(
        f"{path} cannot be read as chats of several sessions: JSON lines with previous_dialogs,"
        " dialog and personas, as Multi-Session Chat has them."
    )
