"""What an emoji was put to."""

from dataclasses import replace

from companion.events import PlatformEvent, ReactionReceived
from companion.storage import inbox, outbox
from companion.storage.database import Tx
from companion.storage.people import Place

SHOWN_CHARS = 120


def with_what_it_is_about(tx: Tx, place: Place, event: PlatformEvent) -> PlatformEvent:
    """`event`; a reaction with the beginning of the message that it is about, if that is known."""
    if not isinstance(event, ReactionReceived):
        return event
    platform, chat = place.address.platform, place.address.chat
    said = outbox.text_of(tx, place.person, platform, chat, event.message)
    if said:
        return replace(event, about=f"you: {_short(said)}")
    original = inbox.find_message(tx, place.person, place.id, event.message)
    return event if original is None else replace(event, about=_short(original.text))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS].rstrip()}…"
