"""The text that the model keeps of persona and person, and the rules of editing it (§2.1)."""

import difflib
from collections.abc import Collection

from companion.errors import ToolError

PERSONA = "## Persona"
PERSON = "## Person"
SHRINK_SHARE = 0.5
SHRINK_CHARS = 1000


def first(persona: str) -> str:
    """The working context of somebody who has just arrived."""
    return f"{PERSONA}\n{persona.strip()}\n\n{PERSON}\n"


def appended(text: str, line: str, limit: int) -> str:
    """`text` with `line` at its end.

    Raises:
        ToolError: there is nothing to add, it stands there already, or it would not fit.
    """
    line = line.strip()
    if not line:
        raise ToolError("There is nothing to append: the text is empty.")
    if normal(line) in {normal(old) for old in text.splitlines()}:
        raise ToolError(f"The working context already says exactly that: “{line}”.")
    return _within(f"{text.rstrip()}\n{line}\n", limit, before=len(text))


def replaced(text: str, old: str, new: str, limit: int) -> str:
    """`text` with `old`, which must stand in it exactly once, replaced by `new`.

    Raises:
        ToolError: `old` is empty, missing or ambiguous, nothing would change, or it would not fit.
    """
    if not old.strip():
        raise ToolError("The old text is empty. Give the exact words to replace.")
    found = text.count(old)
    if found == 0:
        raise ToolError(f"“{old}” is not in the working context. {_nearest(text, old)}")
    if found > 1:
        raise ToolError(
            f"“{old}” stands there {found} times: {_places(text, old)}. Give more of it."
        )
    if old == new:
        raise ToolError("Nothing would change: the old and the new text are the same.")
    result = text.replace(old, new)
    if len(text) > SHRINK_CHARS and len(result) < len(text) * SHRINK_SHARE:
        raise ToolError(
            f"That would shrink the working context from {len(text)} to {len(result)} characters"
            " at once. Replace a line at a time."
        )
    return _within(result, limit, before=len(text))


def with_persona(text: str, persona: str) -> str:
    """`text` with another persona; what is about the person stays."""
    _, mark, about = text.partition(f"\n{PERSON}\n")
    return f"{PERSONA}\n{persona.strip()}\n\n{PERSON}\n{about if mark else ''}"


def persona(text: str) -> str:
    """Who the companion is, by this working context."""
    head = text.partition(f"\n{PERSON}")[0]
    return head.partition(PERSONA)[2].strip()


def about_person(text: str) -> list[str]:
    """The lines that are about the person, not the persona."""
    lines = text.splitlines()
    start = lines.index(PERSON) + 1 if PERSON in lines else len(lines)
    return [line for line in lines[start:] if line.strip()]


def kept_lines(text: str) -> list[str]:
    """All lines that say something: those about the persona, and those about the person."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def without(text: str, gone: Collection[str]) -> str:
    """`text` without those of the lines about the person that are `gone`."""
    lines = text.splitlines()
    start = lines.index(PERSON) + 1 if PERSON in lines else len(lines)
    kept = [line for line in lines[start:] if line not in gone]
    return "\n".join([*lines[:start], *kept]) + "\n"


def with_lines(text: str, more: Collection[str]) -> str:
    """`text` with these lines about the person at its end, whatever its size."""
    return "\n".join([text.rstrip(), *more]) + "\n"


def difference(before: str, after: str) -> list[str]:
    """What `after` has no more and what it has anew, a line each."""
    old, new = kept_lines(before), kept_lines(after)
    gone = [f"No longer: {line}" for line in old if line not in new]
    return gone + [f"Again: {line}" for line in new if line not in old]


def _within(text: str, limit: int, *, before: int) -> str:
    if len(text) > limit and len(text) > before:
        raise ToolError(
            f"The working context would be {len(text)} characters; the limit is {limit} and it has"
            f" {before} now. Shorten it first with working_context_replace, or move details to"
            " archival storage with archival_storage_insert."
        )
    return text


def _nearest(text: str, wanted: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    near = difflib.get_close_matches(wanted, lines, n=1, cutoff=0.0)
    return f"The nearest line is: “{near[0]}”." if near else "It is empty."


def _places(text: str, old: str) -> str:
    lines = [line for line in text.splitlines() if old in line] or [old]
    return "; ".join(f"“{line}”" for line in lines[:4])


def normal(line: str) -> str:
    """`line` as it is compared with others: its words, whatever their case and marks."""
    return " ".join(line.casefold().split()).strip(" .-*•")
