"""What follows from an event: an answer, a note in the queue, or something between."""

from enum import Enum

from companion.commands.declare import is_command
from companion.events import (
    Event,
    FileReceived,
    MessageEdited,
    MessageReceived,
    PersonReturned,
    PersonStarted,
    TimerFired,
    VoiceReceived,
)
from companion.storage import journal, messages, outbox
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem, find_message
from companion.storage.told import told_later

LOOK_AGAIN = (
    "[system alert] You had answered that message as it was before, and kept something from it."
    " What you kept was taken out of your memory. Keep again what is still right: of the message as"
    " it is now, or of others that you answered with it. Write to the person only if your answer is"
    " another one now; otherwise stay_silent."
)


class Consequence(Enum):
    """What an event asks for."""

    ANSWER = "answer"
    NOTE = "note"
    """It stands in the queue, for the next turn to see."""
    LOOK_AGAIN = "look again"
    """A message was changed after its answer, and something was kept from it."""
    UNHEARD = "unheard"
    """Somebody spoke, and has to be told that nobody can listen."""
    NOTHING = "nothing"
    """A command was edited: it is not run again."""


def consequence(event: Event) -> Consequence:
    """What `event` asks for, where that can be told from it alone: not from an edit."""
    match event:
        case MessageReceived(addressed=True) | FileReceived(addressed=True):
            return Consequence.ANSWER
        case PersonStarted() | PersonReturned() | TimerFired():
            return Consequence.ANSWER
        case VoiceReceived(addressed=True):
            return Consequence.UNHEARD
    return Consequence.NOTE


def of_edit(tx: Tx, item: InboxItem, edit: MessageEdited) -> Consequence:
    """What an edit asks for, when the message that it is about is in the queue already."""
    original = find_message(tx, item.person, item.conversation, edit.message)
    if is_command(edit.text) or (original is not None and is_command(original.text)):
        return Consequence.NOTHING
    if original is None or not original.addressed:
        return Consequence.NOTE
    answer = outbox.first_answer(tx, item.person, item.conversation, original.id)
    if answer is None or answer.created_at > item.received_at:
        return Consequence.ANSWER
    if journal.kept_something(tx, item.person, original.id, answer.event):
        return Consequence.LOOK_AGAIN
    said = messages.said_with(tx, item.person, original.id)
    if said and told_later(tx, item.person, original.id, said, answer.event):
        return Consequence.LOOK_AGAIN
    return Consequence.NOTE
