"""Seeing, adding to, correcting and searching one's own memory."""

from collections.abc import Sequence
from datetime import datetime

from companion.commands.declare import Asked, Command, Write
from companion.context import working_context
from companion.errors import ToolError
from companion.event_text import local_time
from companion.memory.noticing import Noticed, NoticedLines
from companion.memory.would_go import CONFIRM, would_go
from companion.question import Question
from companion.search.excerpt import excerpt
from companion.search.forgetting import Wanted
from companion.search.mentions import lines_with
from companion.storage import drawn, forget, passages
from companion.storage.archival_search import FoundPassage
from companion.storage.database import Tx
from companion.storage.erase import owe_purge, purge_now
from companion.storage.told import told_by

SHOWN_PASSAGES = 20
SOURCE_CHARS = 80


async def _memory(asked: Asked) -> str:
    text = await asked.memory.working_context()
    return await asked.db.read(lambda tx: _told(tx, asked, text))


def _told(tx: Tx, asked: Asked, text: str) -> str:
    """What is kept, each with when it was and what had been said, and who the companion is."""
    origins = drawn.origins_of_lines(tx, asked.person)
    lines = working_context.about_person(text)
    told = "What I keep in mind of you:" if lines else "I keep nothing in mind of you yet."
    for line in lines:
        origin = origins.get(line)
        whence = _whence(asked, origin.at, _said(tx, asked, line, origin.event)) if origin else ""
        told += f"\n- {_plain(line)}{whence}"
    kept = passages.everything(tx, asked.person)
    if kept:
        older = f" (the latest {SHOWN_PASSAGES})" if len(kept) > SHOWN_PASSAGES else ""
        told += f"\n\nNotes, {len(kept)}{older}:"
    for note in kept[-SHOWN_PASSAGES:]:
        said = _said(tx, asked, note.text, drawn.event_of(tx, asked.person, note.id))
        past = f"(until {local_time(note.until, asked.zone)}) " if note.until else ""
        told += f"\n- {past}{note.text}{_whence(asked, note.told_at, said, note.source)}"
    return f"{told}\n\nWho I am:\n{working_context.persona(text)}"


def _said(tx: Tx, asked: Asked, text: str, event: int | None) -> str:
    return told_by(tx, asked.person, text, event) if event is not None else ""


def _whence(asked: Asked, at: datetime, said: str, source: str = "") -> str:
    """When something was kept, and from where."""
    parts = [local_time(at, asked.zone)]
    if source not in ("", "model", "person"):
        parts.append(f"from {source}")
    if said and not said.startswith("/"):
        parts.append(f"from “{excerpt(' '.join(said.split()), '', SOURCE_CHARS)}”")
    return f" ({', '.join(parts)})"


async def _remember(asked: Asked) -> str | Write:
    if not asked.words:
        return "Tell me what: /remember my sister is called Lea"
    lines = await asked.memory.notice_lines(asked.words)
    if lines.double is not None:
        return _had(lines.double)
    notes = await asked.memory.notice(asked.words)
    return lambda tx: _remembered(tx, asked, lines, notes)


def _remembered(tx: Tx, asked: Asked, lines: NoticedLines, notes: Noticed) -> str:
    """Keep it in mind, or in the notes where it does not fit; what it makes untrue is past."""
    try:
        asked.memory.correct_in(tx, asked.words, lines.past, asked.item.id)
    except ToolError:
        kept = asked.memory.keep_in(tx, asked.words, notes, source="person", event=asked.item.id)
        if kept.is_double:
            return _had(kept.passage.text)
        past = [note.text for note in kept.past]
        return f"Saved in my notes.{_until_now(past)}"
    return f"Saved.{_until_now(lines.past)}"


def _had(text: str) -> str:
    return f"I have that already. (“{excerpt(_plain(text), '', SOURCE_CHARS)}”)"


def _plain(text: str) -> str:
    return " ".join(text.split()).removeprefix("- ")


def _until_now(past: Sequence[str]) -> str:
    """What was true before, and how to get it back."""
    if not past:
        return ""
    quoted = "; ".join(f"“{_plain(text)}”" for text in past)
    return f" I had until now: {quoted}. That is past; /undo takes it back."


async def _forget(asked: Asked) -> str | Question | Write:
    first, _, rest = asked.words.partition(" ")
    if first.casefold() == CONFIRM and rest.strip():
        asked.afterwards.append(lambda: purge_now(asked.db))
        return lambda tx: _forgotten(tx, asked, Wanted(rest))
    if not asked.words:
        return "Tell me what: /forget hazelnuts"
    wanted = Wanted(asked.words)
    meant = await asked.db.read(lambda tx: forget.find(tx, asked.person, wanted))
    return would_go(meant, wanted.words, asked.zone)


def _forgotten(tx: Tx, asked: Asked, wanted: Wanted) -> str:
    owe_purge(tx)
    count = forget.find(tx, asked.person, wanted).count
    # also when nothing is found: questions about it and earlier requests may tell of it
    if not count:
        forget.forget(tx, asked.person, wanted)
        return "I keep nothing about that."
    asked.memory.forget_in(tx, wanted, asked.item.id)
    return f"Forgotten: {count} {'entry' if count == 1 else 'entries'}."


async def _undo(asked: Asked) -> Write:
    def work(tx: Tx) -> str:
        back = asked.memory.take_back_in(tx)
        if back:
            quoted = "; ".join(f"“{note.text}”" for note in back)
            return f"Taken back. True again in my notes: {quoted}"
        before = asked.memory.working_context_in(tx).text
        try:
            version = asked.memory.undo_in(tx, asked.item.id)
        except ToolError as error:
            return str(error)
        if version is None:
            return "There is no change to take back."
        changed = working_context.difference(before, version.text)
        return "\n".join(["Taken back.", *(changed or ["My notes are as they were before."])])

    return work


async def _search(asked: Asked) -> str:
    if not asked.words:
        return "Tell me what: /search the book that I wanted to read"
    said = await asked.memory.search_messages(asked.words, zone=asked.zone)
    kept = await asked.memory.search(asked.words)
    text = await asked.memory.working_context()
    in_mind = lines_with(working_context.about_person(text), asked.words)
    lines = [f"- in mind: {_plain(line)}" for line in in_mind]
    lines += [
        f"- {local_time(hit.said_at, asked.zone)}, {hit.by}: {hit.said}" for hit in said.items
    ]
    lines += [
        f"- note of {local_time(hit.created_at, asked.zone)}{_past(asked, hit)}: {hit.text}"
        for hit in kept.items
    ]
    return "\n".join(lines) or f"I found nothing about “{asked.words}”."


def _past(asked: Asked, hit: FoundPassage) -> str:
    """Until when a note was true, and what is true now."""
    if hit.until is None:
        return ""
    now = f"; now: {excerpt(_plain(hit.now), '', SOURCE_CHARS)}" if hit.now else ""
    return f" (until {local_time(hit.until, asked.zone)}{now})"


MEMORY_COMMANDS = (
    Command("memory", "what I remember of you", _memory),
    Command("remember", "keep something in mind", _remember, "WORDS"),
    Command("forget", "let something go; asks before it does", _forget, "WORDS"),
    Command("undo", "take back the last change of what I keep in mind", _undo),
    Command("search", "find what was said or kept", _search, "WORDS"),
)
