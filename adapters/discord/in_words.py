"""What a message of Discord's says, in words: names instead of ids, and what came with it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from discord import Message, MessageReferenceType

from companion.events import Author

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_TIMESTAMP = re.compile(r"<t:(-?\d{1,11})(?::[a-zA-Z])?>")
_COMMAND = re.compile(r"</([-\w ]+):\d+>")
QUOTED_CHARS = 300
UNSEEN = "(something that you can't see)"


def in_words(message: Message, me: int, name: str) -> str:
    """The text of `message`, and words for what came with it that is no file.

    The bot, whose id is `me`, is called `name`; where the text only begins by mentioning it, that
    is left out.
    """
    parts = [_named(message.content, message, me, name)]
    parts += [snapshot.content.strip() or UNSEEN for snapshot in message.message_snapshots]
    parts += [f"(sticker: {sticker.name})" for sticker in message.stickers]
    if message.poll is not None:
        answers = ", ".join(answer.text for answer in message.poll.answers)
        parts.append(f"(poll: {message.poll.question} — {answers})")
    return "\n".join(part for part in parts if part.strip())


def _named(text: str, message: Message, me: int, name: str) -> str:
    people = {one.id: one.display_name for one in message.mentions} | {me: name}
    roles = {role.id: role.name for role in message.role_mentions}
    if message.guild is not None and message.guild.self_role is not None:
        roles[message.guild.self_role.id] = name
    channels = {channel.id: channel.name for channel in message.channel_mentions}
    opening = re.compile(rf"^\s*<@!?{me}>[\s,:]*")
    text = opening.sub("", text) or text
    text = _USER.sub(lambda found: _name("@", found, people, "somebody"), text)
    text = _ROLE.sub(lambda found: _name("@", found, roles, "a role"), text)
    text = _CHANNEL.sub(lambda found: _name("#", found, channels, "a channel"), text)
    text = _EMOJI.sub(r":\1:", text)
    text = _COMMAND.sub(r"/\1", text)
    return _TIMESTAMP.sub(_moment, text).strip()


def _name(mark: str, found: re.Match[str], names: Mapping[int, str], unknown: str) -> str:
    return mark + names.get(int(found[1]), unknown)


def _moment(found: re.Match[str]) -> str:
    try:
        return f"{datetime.fromtimestamp(int(found[1]), UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError):
        return found[0]


def forwarded(message: Message) -> Author | None:
    """Whose words `message` only passes on, which Discord doesn't tell; None for its author's."""
    return Author() if message.message_snapshots else None


def quoted(message: Message, me: int, name: str) -> tuple[str | None, Author | None]:
    """The text that `message` replies to, if that is known, and who wrote it unless it was us."""
    reference = message.reference
    if reference is None or reference.type is not MessageReferenceType.reply:
        return None, None
    original = reference.resolved
    if not isinstance(original, Message):
        return None, None
    text = " ".join(in_words(original, me, name).split())
    if not text:
        return None, None
    words = text if len(text) <= QUOTED_CHARS else f"{text[:QUOTED_CHARS]}…"
    if original.author.id == me:
        return f"you: {words}", None
    author = Author(user=str(original.author.id), name=original.author.display_name)
    return words, forwarded(original) or author
