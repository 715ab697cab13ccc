"""What a Telegram message holds besides text, in words for the model."""

from telegram import (
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

from companion.events import Author

LONGEST_QUOTE = 600


def in_words(message: Message) -> str:
    """Stickers, places, contacts, polls and the like, said in words; empty where there is none."""
    found = _thing(message)
    return f"({found})" if found else ""


def _thing(message: Message) -> str:
    if message.sticker:
        return f"sends a sticker that shows {message.sticker.emoji or 'no emoji'}"
    if message.venue:
        place = message.venue.location
        name = f"“{message.venue.title}”, {message.venue.address}"
        return f"shares the place {name}, at {place.latitude}, {place.longitude}"
    if message.location:
        place = message.location
        live = "live " if place.live_period else ""
        return f"shares their {live}location: {place.latitude}, {place.longitude}"
    if message.contact:
        who = " ".join(filter(None, (message.contact.first_name, message.contact.last_name)))
        return f"shares a contact: {who}, {message.contact.phone_number}"
    if message.poll:
        options = ", ".join(f"“{option.text}”" for option in message.poll.options)
        return f"sends a poll: “{message.poll.question}” with the options {options}"
    if message.dice:
        return f"throws {message.dice.emoji} and gets {message.dice.value}"
    if message.game:
        return f"sends the game “{message.game.title}”"
    if message.story:
        return "shares a story, which you can't see"
    return ""


def file_in_words(message: Message) -> str:
    """What kind of file a message holds; empty where it holds none."""
    for kind in ("photo", "voice", "audio", "video", "video_note", "animation", "document"):
        if getattr(message, kind):
            return f"({kind.replace('_', ' ')})"
    return ""


def written_by(origin: MessageOrigin | None) -> Author | None:
    """Whose words a message holds that came from elsewhere; None for one that did not."""
    match origin:
        case None:
            return None
        case MessageOriginUser(sender_user=user):
            return Author(user=str(user.id), name=user.full_name)
        case MessageOriginHiddenUser(sender_user_name=name):
            return Author(name=name)
        case MessageOriginChat(sender_chat=chat) | MessageOriginChannel(chat=chat):
            return Author(user=str(chat.id), name=chat.effective_name or "")
    return Author()


def quoted(message: Message, me: int) -> tuple[str | None, Author | None]:
    """What `message` replies to, and who wrote that unless it was us; None for nothing."""
    original = _original(message)
    if message.quote is not None:
        words = message.quote.text
    elif original is not None:
        parts = (file_in_words(original), in_words(original), original.text or original.caption)
        words = " ".join(filter(None, parts)) or "(something that you can't see)"
    elif message.external_reply is not None:
        words = "(a message of another chat)"
    else:
        return None, None
    if len(words) > LONGEST_QUOTE:
        words = f"{words[:LONGEST_QUOTE]}…"
    author = original.from_user if original is not None else None
    if author is not None and author.id == me:
        return f"you: {words}", None
    return words, _author(message)


def _original(message: Message) -> Message | None:
    """The message of this chat that `message` replies to."""
    original = message.reply_to_message
    # every message of a topic "replies" to the one that made it
    return None if original is None or original.forum_topic_created else original


def _author(message: Message) -> Author:
    """Who wrote what `message` replies to, or passed it on."""
    original = _original(message)
    if original is None:
        origin = message.external_reply.origin if message.external_reply is not None else None
        return written_by(origin) or Author()
    if original.forward_origin is not None:
        return written_by(original.forward_origin) or Author()
    if original.from_user is not None and original.sender_chat is None:
        return Author(user=str(original.from_user.id), name=original.from_user.full_name)
    chat = original.sender_chat
    return Author(user=str(chat.id), name=chat.effective_name or "") if chat else Author()
