"""The same as the rows, to be read by people: Markdown."""

from collections.abc import Iterator
from datetime import tzinfo

from companion.event_text import local_time
from companion.storage import memory_state, passages, working_contexts
from companion.storage import messages as recall
from companion.storage.database import Tx


def memory(tx: Tx, person: int, zone: tzinfo) -> Iterator[str]:
    """What is kept in mind, with the versions before it, notes, and the summary."""
    versions = working_contexts.history(tx, person)
    yield "# Memory"
    if versions:
        yield f"\n{_quoted(versions[0].text)}"
    yield "\n# Notes"
    for passage in passages.everything(tx, person):
        past = f", true until {local_time(passage.until, zone)}" if passage.until else ""
        yield f"\n{local_time(passage.told_at, zone)}, from {passage.source}{past}:\n"
        yield _quoted(passage.text)
    summary = memory_state.load(tx, person).summary
    if summary is not None:
        yield f"\n# Summary of what is long past\n\n{_quoted(summary.text)}"
    yield "\n# What was kept in mind before"
    for version in versions[1:]:
        yield f"\n{local_time(version.created_at, zone)}, made by {version.cause}:\n"
        yield _quoted(version.text)


def messages(tx: Tx, person: int, zone: tzinfo) -> Iterator[str]:
    """Everything that was said, in order."""
    yield "# Messages"
    for spoken in recall.spoken(tx, person):
        yield f"\n**{spoken.by}**, {local_time(spoken.said_at, zone)}:\n"
        yield _quoted(spoken.said)


def _quoted(text: str) -> str:
    """Whatever somebody wrote, so that it stays what it is between our headings."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines())
