"""What a night changes in a person's memory, checked edit by edit.

A model proposes; nothing of it is taken that tells something new or takes something away for good.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from companion.context.working_context import about_person, without
from companion.openers.topics import topic
from companion.search.words import tokens
from companion.sources import is_marked
from companion.storage.passages import Passage

LINE_CHARS = 400
MOST_GONE = 0.5
"""Of many lines so many may go in one night; a model that wants more has misunderstood."""
FEW = 4
"""Of so few lines all may go."""
_ORDINALS = ("", "st", "nd", "rd", "th", "年", "月", "日", "年月日", "月日")
_LINKING = frozenset(
    ("took", "place", "happened", "over", "past", "former", "formerly", "previously", "done")
)
"""Words that tell of time, and may be put to anything."""


class LineEdit(BaseModel):
    """What stands in a line of the working context from now on; empty for nothing."""

    model_config = ConfigDict(extra="forbid")
    line: int
    text: str


class NoteEdit(BaseModel):
    """The note that takes the place of these notes."""

    model_config = ConfigDict(extra="forbid")
    notes: list[int]
    text: str


class Edits(BaseModel):
    """All that a model proposes."""

    model_config = ConfigDict(extra="ignore")
    lines: list[LineEdit] = []
    notes: list[NoteEdit] = []


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to put in order; lines and notes are numbered from 1. `talk` is what was said
    lately, by which words are known."""

    context: str
    notes: Sequence[Passage]
    talk: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """The lines about the person."""
        return about_person(self.context)


@dataclass(frozen=True, slots=True)
class Tidied:
    """What changes: the working context, the notes that go, and the ones that come."""

    context: str
    gone: tuple[Passage, ...]
    added: tuple[str, ...]

    def changes(self, material: Material) -> bool:
        """Whether there is anything to do."""
        return self.context != material.context or bool(self.gone or self.added)


def tidied(material: Material, edits: Edits, *, limit: int) -> Tidied:
    """What comes of `edits`; those that are unsound are left out. `limit` is in characters."""
    known = _Known(material)
    lines = _edited(material.lines, edits.lines, known)
    dropped = [old for old, new in zip(material.lines, lines, strict=True) if not new]
    if len(material.lines) > FEW and len(dropped) > len(material.lines) * MOST_GONE:
        lines, dropped = material.lines, []
    context = _with_lines(material.context, lines)
    if len(context) > limit and len(context) > len(material.context):
        context, dropped = material.context, []
    gone, added = _merged(material.notes, edits.notes, known)
    left = [topic(line) for line in about_person(context)]
    added += [line for line in dropped if not any(_says(other, topic(line)) for other in left)]
    return Tidied(context, tuple(gone), tuple(dict.fromkeys(added)))


def _says(line: frozenset[str], words: frozenset[str]) -> bool:
    """Whether `line` has most of these words."""
    return len(line & words) * 3 >= len(words) * 2


class _Known:
    """The words and numbers that memory holds."""

    def __init__(self, material: Material) -> None:
        own = (line for line in material.lines if not is_marked(line))
        texts = [*own, *(note.text for note in material.notes), *material.talk]
        self._words = frozenset[str]().union(*map(topic, texts)) | _LINKING
        self._numbers = {word for text in texts for word in tokens(text) if _has_digit(word)}

    def holds(self, text: str) -> bool:
        """Whether `text` tells nothing that is not known; dates may be new."""
        numbers = [word for word in tokens(text) if _has_digit(word)]
        return topic(text) <= self._words and all(
            number in self._numbers or _in_a_date(number) for number in numbers
        )


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _in_a_date(number: str) -> bool:
    """Whether it can be part of a date: a year, a month, a day, a time, or all of them."""
    letters = "".join(character for character in number if character.isalpha())
    parts = [int(part) for part in re.findall(r"\d+", number)]
    return letters in _ORDINALS and all(part < 60 or 1900 < part < 2100 for part in parts)


def _edited(lines: Sequence[str], edits: Iterable[LineEdit], known: _Known) -> list[str]:
    """`lines` as they are to be; empty where one is to go."""
    result = list(lines)
    for edit in edits:
        text = " ".join(edit.text.split())
        sound = len(text) <= LINE_CHARS and not text.startswith("#") and known.holds(text)
        # what somebody else said stays as that
        if 1 <= edit.line <= len(lines) and sound and not is_marked(lines[edit.line - 1]):
            result[edit.line - 1] = text
    return result


def _with_lines(context: str, lines: Sequence[str]) -> str:
    head = without(context, set(about_person(context))).rstrip("\n")
    kept = dict.fromkeys(line for line in lines if line)
    return "\n".join([head, *kept]) + "\n"


def _merged(
    notes: Sequence[Passage], edits: Iterable[NoteEdit], known: _Known
) -> tuple[list[Passage], list[str]]:
    """The notes that go, each once, and those that come in their place."""
    gone: list[Passage] = []
    added: list[str] = []
    for edit in edits:
        numbers = set(edit.notes)
        if not numbers or not all(1 <= number <= len(notes) for number in numbers):
            continue
        chosen = [notes[number - 1] for number in sorted(numbers)]
        text = edit.text.strip()
        if not text or not known.holds(text) or any(note in gone for note in chosen):
            continue
        if [text] != [note.text for note in chosen]:
            gone += chosen
            added.append(text)
    return gone, added
