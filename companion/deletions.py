"""What a deletion takes with it: the text of the message, wherever it stands as such."""

from companion.events import MessageDeleted
from companion.storage import inbox, journal, messages, outbox
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem


def forget(tx: Tx, item: InboxItem, gone: MessageDeleted) -> bool:
    """Take the text of the deleted message out of inbox, queue and recall storage.

    True when the companion has kept something from it, which is to be looked at again.
    """
    original = inbox.find_message(tx, item.person, item.conversation, gone.message)
    if original is None:
        return False
    inbox.forget_text(tx, item.person, original.id)
    messages.forget(tx, item.person, original.id)
    answer = outbox.first_answer(tx, item.person, item.conversation, original.id)
    last = answer.event if answer is not None else original.id
    return journal.kept_something(tx, item.person, original.id, last)
