"""Letting something go, when the person says so in plain words."""

from typing import Annotated

from pydantic import Field

from companion.errors import ToolError
from companion.functions.declare import Outcome, Turn, Write, function
from companion.memory.would_go import would_go
from companion.question import Question
from companion.search.forgetting import Wanted
from companion.storage import outbox
from companion.storage.database import Tx

NOTHING = "Nothing is kept about that. Tell the person so."
SHOWN = (
    "The person was shown what would go, with a way to have it done. Nothing is forgotten before"
    " they do that, and you need say no more about it."
)


@function
async def forget(
    turn: Turn,
    words: Annotated[str, Field(description="What it is about: the words that name it.")],
) -> Outcome | Write:
    """When the person wants something forgotten: show them what would go, and let them confirm."""
    wanted = Wanted(words)
    if not wanted.words:
        raise ToolError("Say what is to be forgotten, in the words that name it.")
    shown = would_go(await turn.memory.meant(wanted, but=turn.item.id), wanted.words, turn.zone)
    if not isinstance(shown, Question):
        return Outcome(text=NOTHING)
    text, choices = shown.text, shown.choices

    def write(tx: Tx) -> Outcome:
        piece = outbox.add(tx, turn.item, text, now=turn.now(), choices=choices)
        return Outcome(text=SHOWN, said=text, piece=piece)

    return write
