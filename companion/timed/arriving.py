"""What was promised arrives: in the model's words if it has some, else in those of the person."""

from datetime import datetime, tzinfo

from companion.event_text import LATE, local_time
from companion.events import Choice, Event, TimerFired
from companion.search.words import query_terms

BEGINNING = 5
"""Letters by which a word is known in its other forms."""
PUT_OFF = (("In 10 minutes", "10m"), ("In an hour", "1h"), ("Tomorrow", "tomorrow"))


def must_arrive(event: Event) -> bool:
    """Whether somebody counts on hearing of `event`, whatever a model says to it."""
    return isinstance(event, TimerFired) and event.promised


def in_its_own_words(event: Event) -> str:
    """What is said for a promised event when no model says it; empty for any other event."""
    if not (isinstance(event, TimerFired) and event.promised):
        return ""
    return reminding_of(event.text)


def reminding_of(text: str) -> str:
    """What reminds of `text` without a model."""
    return f"⏰ {text}"


def with_its_words(said: str, event: Event) -> str:
    """`said`, which is the first that is said for `event`, with the words of a promised one below
    if it has none of them that mean something."""
    own = in_its_own_words(event)
    if not (own and isinstance(event, TimerFired)) or _beginnings(said) & _beginnings(event.text):
        return said
    return f"{said}\n{own}"


def _beginnings(text: str) -> set[str]:
    return {term[:BEGINNING] for term in query_terms(text)}


def with_its_time(said: str, event: Event, now: datetime, where: tzinfo) -> str:
    """`said`, which is the first that is said for `event`, telling when that was due if it is late.

    A model that tells the time of day itself is believed.
    """
    if not (isinstance(event, TimerFired) and event.promised) or now - event.due < LATE:
        return said
    if f"{event.due.astimezone(where):%H:%M}" in said:
        return said
    return f"{said}\n(this was due at {local_time(event.due, where)})"


def ways_to_put_off(event: Event) -> tuple[Choice, ...]:
    """Buttons below a promised event. The text doesn't name them: "later" says as much."""
    if not (isinstance(event, TimerFired) and event.promised):
        return ()
    return tuple(
        Choice(label=label, words=f"/snooze {when} #{event.schedule}") for label, when in PUT_OFF
    )
