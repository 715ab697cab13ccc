"""What a deletion or an edit takes with it: the text as it was, and what memory drew from it."""

from companion.context import working_context
from companion.events import MessageDeleted, MessageEdited
from companion.search.forgetting import shares_words_with, without_sentences
from companion.storage import (
    drawn,
    inbox,
    journal,
    memory_state,
    messages,
    outbox,
    past_passages,
    working_contexts,
)
from companion.storage.database import Tx
from companion.storage.drawn import Drawn
from companion.storage.inbox import InboxItem
from companion.storage.told import told_later


def forget(tx: Tx, item: InboxItem, gone: MessageDeleted | MessageEdited) -> bool:
    """Take the text of the message, as it was, out of inbox, queue and recall storage.

    What the companion kept while it answered goes too: lines of the working context, of every
    version, passages, and sentences of the summary; and what it kept of it later, while the message
    was in view, unless another message says as much. Lines that were replaced then are back, and
    notes that became past are true. True when there was such: the companion may have to keep some
    of it again, since quick messages are answered together.
    """
    original = inbox.find_message(tx, item.person, item.conversation, gone.message)
    if original is None:
        return False
    said = messages.said_with(tx, item.person, original.id)
    inbox.forget_text(tx, item.person, original.id)
    text = messages.DELETED if isinstance(gone, MessageDeleted) else messages.CHANGED
    messages.forget(tx, item.person, original.id, text)
    if said:
        about = shares_words_with(said)
        memory_state.rewrite_summaries(tx, item.person, lambda s: without_sentences(s, about))
    answer = outbox.first_answer(tx, item.person, item.conversation, original.id)
    last = answer.event if answer else original.id
    later = told_later(tx, item.person, original.id, said, last) if said else []
    taken = _take_along(tx, item, original.id, last)
    for one in later:
        _take(tx, item, one.event, one.event, one.found, list(one.back))
    return taken or bool(later)


def _take_along(tx: Tx, item: InboxItem, first: int, last: int) -> bool:
    """Take out what was kept for the events from `first` to `last`."""
    person = item.person
    found = drawn.drawn_from(tx, person, first, last)
    back = drawn.replaced_by(tx, person, first, last) if found else []
    _take(tx, item, first, last, found, back)
    return bool(found)


def _take(tx: Tx, item: InboxItem, first: int, last: int, found: Drawn, back: list[str]) -> None:
    """Take out what was `found`, and bring the lines `back` that it had replaced."""
    person = item.person
    messages.empty_calls(tx, person, first, last)
    journal.forget(tx, person, first, last)
    if not found:
        return
    for passage in found.passages:
        past_passages.bring_back(tx, person, past_passages.past_by(tx, person, passage.id))
    drawn.drop(tx, person, found.lines, found.passages)
    past_passages.drop_lines(tx, person, back)
    now = working_contexts.current(tx, person)
    if now is not None and back:
        text = working_context.with_lines(now.text, back)
        version = working_contexts.add(
            tx, person, text, cause="taken back", now=item.received_at, event=item.id
        )
        memory_state.show(tx, person, version.id)
