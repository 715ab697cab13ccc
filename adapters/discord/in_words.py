"""What a message of Discord's says, in words: names instead of ids, and what came with it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from discord import Message, MessageReferenceType

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_TIMESTAMP = re.compile(r"<t:(-?\d{1,11})(?::[a-zA-Z])?>")
_COMMAND = re.compile(r"</([-\w ]+):\d+>")
QUOTED_CHARS = 300


def in_words(message: Message, me: int, name: str) -> str:
    """The text of `message`, and words for what came with it that is no file.

    The bot, whose id is `me`, is called `name`; where the text only begins by mentioning it, that
    is left out.
    """
    parts = [_named(message.content, message, me, name)]
    parts += [_forwarded(snapshot.content) for snapshot in message.message_snapshots]
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


def _forwarded(text: str) -> str:
    quoted = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"(forwards what somebody wrote)\n{quoted}" if text.strip() else "(forwards something)"


def quoted(message: Message, me: int, name: str) -> str | None:
    """The text that `message` replies to, if that is known."""
    reference = message.reference
    if reference is None or reference.type is not MessageReferenceType.reply:
        return None
    if not isinstance(reference.resolved, Message):
        return None
    text = " ".join(in_words(reference.resolved, me, name).split())
    return (text if len(text) <= QUOTED_CHARS else f"{text[:QUOTED_CHARS]}…") or None
