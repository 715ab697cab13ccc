"""Whose words an event carries: its sender's own, and those of others that came with it.

What is somebody else's is information with a source. It has nothing done, and nothing that is kept
of it passes for something that the person told.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.events import Author, Event, FileReceived, MessageEdited, MessageReceived, TimerFired
from companion.memory.upkeep import shared
from companion.text import neutral_name

OWN_SHARE = 0.5
"""So much of what a text says must stand in somebody's words for it to be theirs."""
MOST_CHARS = 4_000
"""Of a text that are compared: what is longer was pasted."""
_MARKED = re.compile(r"\(says .+\)\s*$")


@dataclass(frozen=True, slots=True)
class Foreign:
    """Words that are not the sender's own. `source` says whose, so that people understand it."""

    source: str
    text: str

    def share(self, text: str) -> float:
        """How much of `text` stands there."""
        return shared(text[:MOST_CHARS], self.text[:MOST_CHARS])


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model hears in a turn: the words of whoever may talk to it, and those of others."""

    own: str = ""
    foreign: tuple[Foreign, ...] = ()

    def source(self, text: str, found: Sequence[Foreign] = ()) -> str:
        """Where `text`, which the model made, comes from; empty for the person's own words.

        What was heard from others is taken for the source unless the person said it themselves.
        What was `found` in memory is only where `text` says what stands there.
        """
        if not (self.foreign or found):
            return ""
        own = shared(text[:MOST_CHARS], self.own)
        if self.foreign:
            share, whose = _nearest(text, self.foreign)
            if own < max(OWN_SHARE, share):
                return whose
        share, whose = _nearest(text, found)
        return whose if share >= max(OWN_SHARE, own) else ""


def _nearest(text: str, among: Sequence[Foreign]) -> tuple[float, str]:
    """How much of `text` stands in the one that has most of it, and the source of that."""
    shares = ((one.share(text), one.source) for one in among)
    return max(shares, key=lambda one: one[0], default=(0.0, ""))


def heard(events: Iterable[Event]) -> Heard:
    """What is heard in `events`."""
    own, foreign = [], []
    for event in events:
        own.append(_own(event)[:MOST_CHARS])
        foreign += [*_of_others(event), *_quoted(event)]
    return Heard("\n".join(filter(None, own)), tuple(foreign))


def of_what_is_said(events: Iterable[Event]) -> str:
    """Where what is said with `events` comes from; empty for the sender's own words."""
    found = (one.source for event in events for one in _of_others(event) if one.text)
    return "; ".join(dict.fromkeys(found))


def marked(line: str, whose: str) -> str:
    """A line for the working context, with its source where that is not the person."""
    mark = f" (says {whose})"
    if not whose or not line.strip() or line.endswith(mark):
        return line
    return line.rstrip() + mark


def is_marked(line: str) -> bool:
    """Whether a line of the working context tells what somebody else said."""
    return _MARKED.search(line) is not None


def of_a_file(name: str) -> str:
    """What stands in the file called `name`."""
    return f"the file “{neutral_name(name)}”"


def of_a_forward(author: Author) -> str:
    """What the person only passed on."""
    whose = f" of {neutral_name(author.name)}" if author.name else ""
    return f"a forwarded message{whose}"


def author_passed_on(event: MessageReceived | FileReceived) -> Author | None:
    """Whose words the sender only passes on; None where they wrote all of it themselves."""
    whose = event.forwarded
    return None if whose is None or whose.user == event.sender.user else whose


def is_own(event: MessageReceived | FileReceived) -> bool:
    """Whether the sender wrote that themselves, and may talk to us."""
    return author_passed_on(event) is None and not event.stranger


def _own(event: Event) -> str:
    """What the sender said themselves, and may say."""
    match event:
        case TimerFired(text=text) | MessageEdited(text=text):
            return text
        case MessageReceived() | FileReceived():
            return event.text if is_own(event) else ""
    return ""


def _of_others(event: Event) -> list[Foreign]:
    """What was said with `event` that is not the sender's own."""
    if not isinstance(event, MessageReceived | FileReceived):
        return []
    found, author = [], author_passed_on(event)
    if event.stranger:
        found.append(Foreign(f"{neutral_name(event.sender.name)}, a stranger", event.text))
    elif author is not None:
        found.append(Foreign(of_a_forward(author), event.text))
    if isinstance(event, FileReceived):
        found.append(Foreign(of_a_file(event.name), event.contents))
    return found


def _quoted(event: Event) -> list[Foreign]:
    """What `event` replies to, if somebody else wrote that."""
    if not isinstance(event, MessageReceived) or event.answered is None:
        return []
    if event.answered.user == event.sender.user:
        return []
    return [Foreign(f"a message of {neutral_name(event.answered.name)}", event.answers or "")]
