"""What memory drew from a message: what was kept while it was dealt with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from companion.context import working_context
from companion.storage import passages, working_contexts
from companion.storage.database import Tx
from companion.storage.passages import Passage


@dataclass(frozen=True, slots=True)
class Drawn:
    """Lines that came to the working context with some events, and passages that were kept."""

    lines: tuple[str, ...]
    passages: tuple[Passage, ...]

    def __bool__(self) -> bool:
        return bool(self.lines or self.passages)


def drawn_from(tx: Tx, person: int, first: int, last: int) -> Drawn:
    """What was drawn from the events `first` to `last`, as far as it is still there."""
    now = working_contexts.current(tx, person)
    held = set(working_context.about_person(now.text)) if now else set()
    added: dict[str, None] = {}
    for before, after in working_contexts.changes(tx, person, first, last):
        old = set(working_context.about_person(before))
        added.update(dict.fromkeys(set_apart(after, old)))
    kept = [p for event in range(first, last + 1) for p in passages.drawn_from(tx, person, event)]
    return Drawn(tuple(line for line in added if line in held), tuple(kept))


def set_apart(text: str, old: set[str]) -> Iterable[str]:
    """The lines about the person that are new in `text`."""
    return (line for line in working_context.about_person(text) if line not in old)


@dataclass(frozen=True, slots=True)
class Origin:
    """When something was kept, and the event that it came with."""

    at: datetime
    event: int | None = None


def origins_of_lines(tx: Tx, person: int) -> dict[str, Origin]:
    """Where each line about the person comes from that is in the working context now."""
    found: dict[str, Origin] = {}
    for text, at, event in working_contexts.with_events(tx, person):
        lines = working_context.about_person(text)
        found = {line: found[line] for line in found if line in lines}
        new = [line for line in lines if line not in found]
        if new:
            found |= {line: Origin(at, event) for line in new}
    return found


def event_of(tx: Tx, person: int, passage: int) -> int | None:
    """The event that the passage was kept with."""
    row = tx.execute(
        "SELECT event_id FROM passage WHERE id = :passage AND person_id = :person",
        {"passage": passage, "person": person},
    ).fetchone()
    return row[0] if row else None


def replaced_by(tx: Tx, person: int, first: int, last: int) -> list[str]:
    """The lines that the events `first` to `last` replaced, and that nothing has brought back."""
    now = working_contexts.current(tx, person)
    held = set(working_context.about_person(now.text)) if now else set()
    lost: dict[str, None] = {}
    for before, after in working_contexts.changes(tx, person, first, last):
        new = set(working_context.about_person(after))
        added = set_apart(after, set(working_context.about_person(before)))
        lost = {line: None for line in lost if line not in new}
        if any(True for _ in added):  # a line that only went away was not replaced
            lost.update(dict.fromkeys(set_apart(before, new)))
    own = {
        line
        for _, after in working_contexts.changes(tx, person, first, last)
        for line in working_context.about_person(after)
    }
    return [line for line in lost if line not in held and line not in own]


def drop(tx: Tx, person: int, lines: Sequence[str], kept: Iterable[Passage]) -> None:
    """Take these lines out of every version of the working context, and forget the passages."""
    if lines:
        working_contexts.rewrite(
            tx, person, lambda text: working_context.without(text, frozenset(lines))
        )
    for passage in kept:
        passages.remove(tx, person, passage.id)
