"""Where something comes from that the model keeps: what is not a person's own word is marked."""

from companion.events import FileReceived
from companion.functions.turn import Turn
from companion.text import neutral_name


def source(turn: Turn) -> str:
    """The source of a note: the model, unless it reads somebody's file."""
    event = turn.item.event
    return f"the file “{neutral_name(event.name)}”" if isinstance(event, FileReceived) else "model"


def marked(turn: Turn, text: str) -> str:
    """A line for the working context. What a file says is marked as that."""
    mark = f" (says {source(turn)})"
    if not text.strip() or not isinstance(turn.item.event, FileReceived) or text.endswith(mark):
        return text
    return text.rstrip() + mark
