"""What is kept already that a new text doubles, or that is true no more by it.

Looked up before the transaction that keeps the text: it may take vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.context import working_context
from companion.embedders.protocol import Embedder
from companion.errors import EmbedderUnavailableError
from companion.search.upkeep import Known, judge
from companion.storage.archival_search import ArchivalStorage
from companion.storage.passages import Passage

COMPARED = 8
"""So many notes are compared with a new one: those that a search for it would find first."""
LINES = 60
"""So many lines of the working context are, the last ones."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a text that is about to be a note would double, make past, or may speak of as well."""

    double: Passage | None = None
    past: tuple[Passage, ...] = ()
    near: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class NoticedLines:
    """The same of the lines of the working context."""

    double: str | None = None
    past: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of a note: `passage` holds it, which stood there before if it `is_double`.
    `past` are notes that are true no more by it, `near` some that may be."""

    passage: Passage
    is_double: bool = False
    past: tuple[Passage, ...] = ()
    near: tuple[Passage, ...] = ()


class Noticing:
    """Compares what is about to be kept with what is."""

    def __init__(self, archival: ArchivalStorage, embedder: Embedder | None) -> None:
        self._archival = archival
        self._embedder = embedder

    async def notes(self, text: str) -> Noticed:
        """What `text` would do to the notes."""
        notes = {note.id: note for note in await self._archival.near(text, COMPARED)}
        verdict = judge(
            text, await self._known(text, {at: note.text for at, note in notes.items()})
        )
        return Noticed(
            notes.get(verdict.double) if verdict.double is not None else None,
            tuple(notes[number] for number in verdict.past),
            tuple(notes[number] for number in verdict.near),
        )

    async def lines(self, text: str, context: str) -> NoticedLines:
        """What `text` would do to the lines about the person in the working context."""
        lines = dict(enumerate(working_context.about_person(context)[-LINES:]))
        verdict = judge(text, await self._known(text, lines))
        return NoticedLines(
            lines[verdict.double] if verdict.double is not None else None,
            tuple(lines[number] for number in verdict.past),
        )

    async def _known(self, text: str, texts: dict[int, str]) -> list[Known]:
        likeness = await self._likeness(text, list(texts.values()))
        return [
            Known(id=number, text=one, likeness=like)
            for (number, one), like in zip(texts.items(), likeness, strict=True)
        ]

    async def _likeness(self, text: str, others: Sequence[str]) -> Sequence[float | None]:
        """How like in meaning each is; None where no vectors are to be had."""
        if self._embedder is None or not others:
            return [None] * len(others)
        try:
            own, *theirs = await self._embedder.embed([text, *others])
        except EmbedderUnavailableError:
            return [None] * len(others)
        return [float(own @ one) if own.any() and one.any() else None for one in theirs]
