"""What is kept in mind of two who become one: both, and what contradicts itself with its dates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from companion.context import working_context
from companion.storage.working_contexts import Version

SUBJECT_CHARS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A line about the person, and when it was first kept."""

    text: str
    since: datetime

    @property
    def dated(self) -> str:
        """The line with its date."""
        return f"{self.text} (kept on {self.since:%Y-%m-%d})"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two lines about the same that say different things. Which one holds, nobody here knows."""

    one: Line
    other: Line


def lines(history: Sequence[Version]) -> list[Line]:
    """What is kept about the person now, each line with its date. `history` is newest first."""
    if not history:
        return []
    since: dict[str, datetime] = {}
    for version in reversed(history):
        held = working_context.about_person(version.text)
        since = {line: since.get(line, version.created_at) for line in held}
    return [Line(text, at) for text, at in since.items()]


def contradictions(one: Sequence[Line], other: Sequence[Line]) -> list[Contradiction]:
    """The lines of both that are about the same and not equal."""
    found = []
    for theirs in other:
        subject = _subject(theirs.text)
        for mine in one:
            same = working_context.normal(mine.text) == working_context.normal(theirs.text)
            if not same and subject and subject == _subject(mine.text):
                found.append(Contradiction(mine, theirs))
    return found


@dataclass(frozen=True, slots=True)
class Merged:
    """The working context of the two, and the lines that had no room in it."""

    text: str
    left_over: tuple[str, ...]


def merged(text: str, one: Sequence[Line], other: Sequence[Line], limit: int) -> Merged:
    """`text` with the lines of `other`, in at most `limit` characters; the persona stays.

    Lines that contradict each other get their dates.
    """
    clashes = contradictions(one, other)
    dated = {line.text: line.dated for clash in clashes for line in (clash.one, clash.other)}
    mine = [dated.get(line.text, line.text) for line in one]
    held = {working_context.normal(line.text) for line in one}
    more = [
        dated.get(line.text, line.text)
        for line in other
        if working_context.normal(line.text) not in held
    ]
    head = working_context.without(text, {line.text for line in one}).rstrip() + "\n"
    left_over = []
    for line in (*mine, *more):
        if len(head) + len(line) + 1 <= limit:
            head += f"{line}\n"
        else:
            left_over.append(line)
    return Merged(head, tuple(left_over))


def _subject(line: str) -> str:
    """What a line is about: what stands before its colon, or its first two words."""
    before, colon, _ = line.partition(":")
    if colon and len(before) <= SUBJECT_CHARS:
        return working_context.normal(before)
    words = working_context.normal(line).split()
    return " ".join(words[:2]) if len(words) > 2 else ""
