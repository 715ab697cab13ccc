"""Shows a person what they would lose, before it is forgotten."""

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from companion.event_text import local_time
from companion.events import Choice
from companion.question import Question
from companion.search.excerpt import excerpt
from companion.storage.forget import Meant

CONFIRM = "yes"
SHOWN = 12
"""Of each kind; more are counted."""
EXCERPT_CHARS = 160


def would_go(meant: Meant, words: str, zone: tzinfo) -> str | Question:
    """What forgetting `words` would take, and how to have it done."""
    if not meant.count:
        return f"I keep nothing about “{words}”."
    do_it = f"/forget {CONFIRM} {words}"
    parts = [
        *_part("From what I keep in mind", meant.lines),
        *_part(
            "Notes",
            [f"{_short(p.text, words)} ({local_time(p.created_at, zone)})" for p in meant.passages],
        ),
        *_part(
            "Messages",
            [f"{s.by}, {local_time(s.said_at, zone)}: {_short(s.said, words)}" for s in meant.said],
        ),
        *_part("Plans", [f"{text} ({local_time(at, zone)})" for text, at in meant.plans]),
        *_part("From my summary of what is long past", meant.summed_up),
    ]
    return Question(
        "\n".join(["This would go, for good:", *parts, "", f"To do it: {do_it}"]),
        (Choice(label="Forget it", words=do_it), Choice(label="Keep it", words="")),
    )


def _part(title: str, entries: Sequence[str]) -> Iterator[str]:
    if not entries:
        return
    yield f"\n{title}:"
    yield from (f"- {entry}" for entry in entries[:SHOWN])
    if len(entries) > SHOWN:
        yield f"- and {len(entries) - SHOWN} more"


def _short(text: str, words: str) -> str:
    return excerpt(text, words, EXCERPT_CHARS)
