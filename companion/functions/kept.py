"""Tells the model what became of a note, and what it may do about the ones near to it."""

from datetime import datetime, tzinfo

from companion.event_text import local_time
from companion.memory.noticing import Kept, NoticedLines
from companion.search.excerpt import excerpt
from companion.storage.archival_search import FoundPassage
from companion.storage.passages import Passage

SHOWN = 100
"""Characters of another note."""
NOW = 100
"""Characters of what is true, beside what was."""


def told(kept: Kept, zone: tzinfo, whose: str = "") -> str:
    """What became of a note, which holds the words of `whose` where they are not the person's."""
    parts = [
        f"Archival storage says that already, in {_note(kept.passage, zone)} Its date is renewed."
        if kept.is_double
        else f"Kept in archival storage as note {kept.passage.id}."
    ]
    if kept.past:
        parts += [
            f"Past from now on, as it cannot be true as well: {_notes(kept.past, zone)} If both are"
            " true, insert the old text again with replaces=0."
        ]
    if kept.near and whose:
        parts += [
            f"It is marked as what {whose} says. There is also: {_notes(kept.near, zone)} That"
            " stands unless the person says otherwise."
        ]
    elif kept.near:
        parts += [
            f"There is also: {_notes(kept.near, zone)} If the new note makes one of these untrue,"
            " insert it again with the number of that as replaces."
        ]
    return " ".join(parts)


def told_lines(noticed: NoticedLines, whose: str = "") -> str:
    """What stands in the working context against a line that was appended; empty for nothing.

    What the line says `whose` words are, where it is not the person, makes nothing past.
    """
    if not noticed.past:
        return ""
    quoted = "; ".join(f"“{line}”" for line in noticed.past)
    if whose:
        return f" But it also says: {quoted}. That stands unless the person says otherwise."
    return (
        f" But it also says: {quoted}. If that is true no more, delete it with"
        " working_context_replace, an empty text for new; it is kept as past."
    )


def head(hit: FoundPassage, when: str, zone: tzinfo) -> str:
    """What stands before a note in a list: when it was kept, and until when it was true."""
    past = ""
    if hit.until is not None:
        past = f", true until {local_time(hit.until, zone)}"
        if hit.now is not None:
            past += f"; now: “{_plain(excerpt(hit.now, '', NOW))}”"
    return f"[kept {when}, note {hit.id} from {hit.source}{past}] "


def _notes(notes: tuple[Passage, ...], zone: tzinfo) -> str:
    return " ".join(_note(note, zone) for note in notes)


def _note(note: Passage, zone: tzinfo) -> str:
    text = _plain(excerpt(note.text, "", SHOWN))
    return f"note {note.id} of {_day(note.told_at, zone)}: “{text}”."


def _day(at: datetime, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%-d %B %Y}"


def _plain(text: str) -> str:
    """`text` in one line, without what would end the brackets around it."""
    return " ".join(text.split()).translate({ord("["): "(", ord("]"): ")"})
