"""Whose words an event carries: its sender's own, and those of others that came with it.

What is somebody else's is information with a source. It has nothing done, and nothing that is kept
of it passes for something that the person told.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.events import Author, Event, FileReceived, MessageEdited, MessageReceived, TimerFired
from companion.search.upkeep import shared
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
    """What a model hears in a turn: the words of whoever may talk to it, and those of others.

    `before` is what of others' words stands in view from earlier turns, and `said` each message
    in view that is the sender's own, under their name, as the model reads it.
    """

    own: str = ""
    foreign: tuple[Foreign, ...] = ()
    before: tuple[Foreign, ...] = ()
    said: tuple[str, ...] = ()

    def source(self, text: str, found: Sequence[Foreign] = ()) -> str:
        """Where `text`, which the model made, comes from; empty for the person's own words.

        What is heard from others in this turn is taken for the source unless the person said it
        themselves. What was heard `before` is only where `text` says more of that than of what the
        person said, and what was `found` in memory where it says what stands there.
        """
        own = shared(text[:MOST_CHARS], self.own)
        if self.foreign:
            share, whose = _nearest(text, self.foreign)
            if own < max(OWN_SHARE, share):
                return whose
        if whose := self._from_before(text):
            return whose
        share, whose = _nearest(text, found)
        return whose if share >= max(OWN_SHARE, own) else ""

    def _from_before(self, text: str) -> str:
        share, whose = _nearest(text, self.before)
        if share < OWN_SHARE:
            return ""
        said = max((shared(text[:MOST_CHARS], one) for one in self.said), default=0.0)
        return whose if share > said else ""


def _nearest(text: str, among: Sequence[Foreign]) -> tuple[float, str]:
    """How much of `text` stands in the one that has most of it, and the source of that."""
    shares = ((one.share(text), one.source) for one in among)
    return max(shares, key=lambda one: one[0], default=(0.0, ""))


def heard(events: Iterable[Event], before: Iterable[Event] = ()) -> Heard:
    """What is heard in `events`, while those of turns `before` stand in view as well."""
    now, earlier = list(events), list(before)
    own = "\n".join(filter(None, map(_own, now)))
    named = [_under_a_name(event) for event in (*earlier, *now) if _own(event)]
    return Heard(own, _of_others_in(now), _of_others_in(earlier), tuple(named) if earlier else ())


def _of_others_in(events: Iterable[Event]) -> tuple[Foreign, ...]:
    return tuple(one for event in events for one in (*_of_others(event), *_quoted(event)))


def _under_a_name(event: Event) -> str:
    """What the sender said themselves, as the model reads it: so notes say who “I” is."""
    if isinstance(event, TimerFired):
        return _own(event)
    return f"{neutral_name(event.sender.name)}: {_own(event)}"


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
            return text[:MOST_CHARS]
        case MessageReceived() | FileReceived():
            return event.text[:MOST_CHARS] if is_own(event) else ""
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
