"""Talking to the person, or choosing not to."""

from typing import Annotated

from pydantic import Field

from companion.errors import ToolError
from companion.events import Event, FileReceived, MessageReceived, VoiceReceived
from companion.functions.declare import Outcome, Turn, Write, function
from companion.storage import outbox
from companion.storage.database import Tx
from companion.text import is_blank, is_emoji
from companion.timed.arriving import ways_to_put_off, with_its_time, with_its_words


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
        told = with_its_words(said, item.event)
        first = with_its_time(told, item.event, turn.now(), turn.zone)
        if said in sent or first in sent:
            return Outcome(text="That was sent already; it is not sent twice.")
        text = said if sent else first
        choices = () if sent else ways_to_put_off(item.event)
        piece = outbox.add(tx, item, text, now=turn.now(), choices=choices)
        return Outcome(text="Sent.", said=text, piece=piece)

    return write


@function
async def react(
    turn: Turn,
    emoji: Annotated[str, Field(description="One emoji, for example 👍, ❤ or 😂.")],
) -> Write:
    """Put an emoji to the message that you are dealing with. A person in private still needs an
    answer with send_message."""
    message = _message_of(turn.item.event)
    if not message:
        raise ToolError("There is no message here that an emoji could be put to.")
    if not is_emoji(emoji.strip()):
        raise ToolError("Give one emoji and nothing else.")

    def write(tx: Tx) -> Outcome:
        item = turn.item
        if outbox.has_reacted(tx, item.person, item.id):
            return Outcome(text="You have reacted to that message already.")
        piece = outbox.add(tx, item, emoji.strip(), now=turn.now(), reacts_to=message)
        return Outcome(text="The emoji stands below their message.", piece=piece)

    return write


def _message_of(event: Event) -> str:
    """The platform's id of the message that the event is; empty where it is none."""
    if isinstance(event, MessageReceived | FileReceived | VoiceReceived):
        return event.message
    return ""


@function
async def stay_silent(
    turn: Turn,
    reason: Annotated[str, Field(description="Why, in a few words. Nobody reads it.")] = "",
) -> Outcome:
    """Say nothing this time. Only in groups and for timed events."""
    if not turn.may_stay_silent:
        raise ToolError("The person waits for your word. Say it with send_message.")
    return Outcome(text="You said nothing.", silent=True)
