"""What a Telegram message holds besides text, in words for the model."""

from telegram import (
    Message,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

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


def forwarded_from(message: Message) -> str | None:
    """Whose words a forwarded message holds; None for a message of the sender's own."""
    match message.forward_origin:
        case None:
            return None
        case MessageOriginUser(sender_user=user):
            return user.full_name
        case MessageOriginHiddenUser(sender_user_name=name):
            return name
        case MessageOriginChat(sender_chat=chat) | MessageOriginChannel(chat=chat):
            return chat.effective_name or "a chat"
    return "somebody"


def quoted(message: Message, me: int) -> str | None:
    """What `message` replies to, and whose words that is; None if it replies to nothing."""
    original = message.reply_to_message
    if original is not None and original.forum_topic_created:
        original = None  # every message of a topic "replies" to the one that made it
    if message.quote is not None:
        words = message.quote.text
    elif original is not None:
        parts = (file_in_words(original), in_words(original), original.text or original.caption)
        words = " ".join(filter(None, parts)) or "(something that you can't see)"
    elif message.external_reply is not None:
        words = "(a message of another chat)"
    else:
        return None
    if len(words) > LONGEST_QUOTE:
        words = f"{words[:LONGEST_QUOTE]}…"
    author = original.from_user if original is not None else None
    if author is None:
        return words
    return f"{'you' if author.id == me else author.full_name}: {words}"
