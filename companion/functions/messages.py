"""Talking to the person, or choosing not to."""

from typing import Annotated

from pydantic import Field

from companion.errors import ToolError
from companion.functions.declare import Outcome, Turn, Write, function
from companion.storage import outbox
from companion.storage.database import Tx
from companion.text import is_blank
from companion.timed.arriving import with_its_time


@function
async def send_message(
    turn: Turn,
    message: Annotated[str, Field(description="What the person reads.")],
) -> Write:
    """Say something to the person. The only way to reach them."""
    said = message.strip()
    if is_blank(said):
        raise ToolError("The message is empty. Give the words that the person should read.")

    def write(tx: Tx) -> Outcome:
        item = turn.item
        sent = outbox.sent_texts(tx, item.person, item.id)
        first = with_its_time(said, item.event, turn.now(), turn.zone)
        if said in sent or first in sent:
            return Outcome(text="That was sent already; it is not sent twice.")
        text = said if sent else first
        piece = outbox.add(tx, item, text, now=turn.now())
        return Outcome(text="Sent.", said=text, piece=piece)

    return write


@function
async def stay_silent(
    turn: Turn,
    reason: Annotated[str, Field(description="Why, in a few words. Nobody reads it.")] = "",
) -> Outcome:
    """Say nothing this time. Only in groups and for timed events."""
    if not turn.may_stay_silent:
        raise ToolError("The person waits for your word. Say it with send_message.")
    return Outcome(text="You said nothing.", silent=True)
