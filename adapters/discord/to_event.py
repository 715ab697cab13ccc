"""What Discord tells us means to the companion. Pure: every decision about it is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from discord import ChannelType, Interaction, Member, Message, MessageType, Thread, User

from adapters.discord.in_words import forwarded, in_words, quoted
from companion.choices import Reference
from companion.events import (
    Address,
    FileReceived,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    PersonStarted,
    PlatformEvent,
    ReactionReceived,
    Sender,
    VoiceReceived,
)

PLATFORM = "discord"
_WRITTEN = (MessageType.default, MessageType.reply)
MOST_FILES = 10
"""Discord's limit for a message."""
INTERACTION = "interaction "
"""Leads the id of an event that came by a slash command or a button."""
OCTET_STREAM = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """The bot's own account, and where it answers without being mentioned.

    `reads_all` says that Discord was asked for the text of messages that don't mention it.
    """

    id: int
    name: str
    channels: frozenset[int] = frozenset()
    reads_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """Somebody wrote to the bot in private who may not talk to it."""

    sender: Sender
    channel: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A message was meant for the bot, and Discord withholds its text."""

    channel: int


Meaning = Sequence[PlatformEvent] | Stranger | Unreadable
NOTHING: Sequence[PlatformEvent] = ()


def of_message(message: Message, me: Me, *, admitted: bool) -> Meaning:
    """What a new message means; bots, webhooks and talk among others mean nothing.

    `admitted` says that its author may talk to the bot.
    """
    if not _is_a_persons(message) or not _is_addressed(message, me):
        return NOTHING
    if not admitted:
        private = _guild(message) is None
        stranger = Stranger(sender=sender_of(message.author), channel=message.channel.id)
        return stranger if private else NOTHING
    text = in_words(message, me.id, me.name)
    if not text and not message.attachments:
        withheld = _guild(message) is not None and not me.reads_all
        return Unreadable(channel=message.channel.id) if withheld else NOTHING
    if message.flags.voice:
        return [_voice(message)]
    return _files(message, text) if message.attachments else [_text(message, text, me)]


def of_edit(message: Message, me: Me, *, admitted: bool) -> Sequence[PlatformEvent]:
    """What a changed message means. A link preview changes nothing that the person wrote."""
    if message.edited_at is None or not _is_a_persons(message):
        return NOTHING
    if not _is_addressed(message, me) or not admitted:
        return NOTHING
    text = in_words(message, me.id, me.name)
    if not text:
        return NOTHING
    edit = MessageEdited(
        id=f"edit {message.id} {message.edited_at.timestamp()}",
        address=address_of(message),
        sender=sender_of(message.author),
        at=message.edited_at.astimezone(UTC),
        message=str(message.id),
        text=text,
    )
    return [edit]


def of_deletion(gone: PlatformEvent, at: datetime) -> MessageDeleted:
    """What the deletion of the message means that came as `gone`."""
    return MessageDeleted(
        id=f"delete {gone.id}",
        address=gone.address,
        sender=gone.sender,
        at=at,
        message=gone.id,
    )


def of_reaction(
    *, message: int, emoji: str, user: User | Member, address: Address, at: datetime, removed: bool
) -> ReactionReceived:
    """What an emoji means that was put to a message of the bot's, or taken away."""
    number = f"{message} {user.id} {emoji} {at.timestamp()}"
    return ReactionReceived(
        id=f"{'no reaction' if removed else 'reaction'} {number}",
        address=address,
        sender=sender_of(user),
        at=at,
        message=str(message),
        emoji=emoji,
        removed=removed,
    )


def of_command(interaction: Interaction, text: str) -> PlatformEvent:
    """What a slash command means that stands for `text`, such as "/memory"."""
    common = {
        "id": f"{INTERACTION}{interaction.id}",
        "address": where(interaction),
        "sender": sender_of(interaction.user),
        "at": interaction.created_at.astimezone(UTC),
    }
    if text == "/start":
        return PersonStarted(**common)  # type: ignore[arg-type]
    return MessageReceived(**common, text=text)  # type: ignore[arg-type]


def of_press(interaction: Interaction, reference: Reference, words: str) -> MessageReceived:
    """What a button means that stands for `words`: once for each who presses it."""
    return MessageReceived(
        id=f"{INTERACTION}{reference} {interaction.user.id}",
        address=where(interaction),
        sender=sender_of(interaction.user),
        at=interaction.created_at.astimezone(UTC),
        text=words,
    )


def where(interaction: Interaction) -> Address:
    """Where a command was used or a button pressed."""
    if interaction.channel_id is None:
        raise TypeError("an interaction of no channel")
    return place(interaction.channel, interaction.channel_id, interaction.guild_id)


def _is_a_persons(message: Message) -> bool:
    if not isinstance(message.type.value, int):  # as discord.py gives what it can't read
        raise TypeError("a message of no type")
    return message.type in _WRITTEN and not message.author.bot and message.webhook_id is None


def _is_addressed(message: Message, me: Me) -> bool:
    if _guild(message) is None:
        return True
    if {message.channel.id, _parent(message.channel)} & me.channels:
        return True
    if isinstance(message.channel, Thread) and message.channel.owner_id == me.id:
        return True
    role = message.guild.self_role if message.guild else None
    return (
        any(one.id == me.id for one in message.mentions)
        or (role is not None and role in message.role_mentions)
        or (_answered(message) == me.id)
    )


def _answered(message: Message) -> int | None:
    """Whose message `message` replies to."""
    resolved = message.reference.resolved if message.reference else None
    return resolved.author.id if isinstance(resolved, Message) else None


def _parent(channel: object) -> int | None:
    return channel.parent_id if isinstance(channel, Thread) else None


def _text(message: Message, text: str, me: Me) -> MessageReceived:
    answers, answered = quoted(message, me.id, me.name)
    return MessageReceived(
        id=str(message.id),
        address=address_of(message),
        sender=sender_of(message.author),
        at=message.created_at.astimezone(UTC),
        text=text,
        message=str(message.id),
        answers=answers,
        answered=answered,
        forwarded=forwarded(message),
        more_may_follow=True,
    )


def _voice(message: Message) -> VoiceReceived:
    return VoiceReceived(
        id=str(message.id),
        address=address_of(message),
        sender=sender_of(message.author),
        at=message.created_at.astimezone(UTC),
        seconds=round(sum(file.duration or 0 for file in message.attachments)),
        message=str(message.id),
    )


def _files(message: Message, text: str) -> list[PlatformEvent]:
    """An event for each file; what was written stands with the first."""
    return [
        FileReceived(
            id=f"{message.id}/{number}" if number else str(message.id),
            address=address_of(message),
            sender=sender_of(message.author),
            at=message.created_at.astimezone(UTC),
            name=file.filename,
            media_type=(file.content_type or OCTET_STREAM).partition(";")[0],
            size=file.size,
            text="" if number else text,
            forwarded=forwarded(message),
            message=f"{message.id}/{number}" if number else str(message.id),
            more_may_follow=True,
            album=str(message.id) if len(message.attachments) > 1 else "",
        )
        for number, file in enumerate(message.attachments)
    ]


def address_of(message: Message) -> Address:
    """Where `message` was written."""
    return place(message.channel, message.channel.id, _guild(message))


def _guild(message: Message) -> int | None:
    """The server that `message` was written on; None is a direct message.

    A server that is not in discord.py's cache is one nevertheless.
    """
    if message.guild is not None:
        return message.guild.id
    number: int | None = getattr(message.channel, "guild_id", None)
    return number


def place(channel: object, number: int | None, guild: int | None) -> Address:
    """A thread shares the memory of its channel, unless it is closed to others there."""
    if guild is None:
        return Address(platform=PLATFORM, chat=str(number))
    if isinstance(channel, Thread) and channel.type is not ChannelType.private_thread:
        return Address(
            platform=PLATFORM, chat=str(channel.parent_id), thread=str(channel.id), private=False
        )
    return Address(platform=PLATFORM, chat=str(number), private=False)


def sender_of(user: User | Member) -> Sender:
    """Who `user` is to the companion."""
    return Sender(user=str(user.id), name=user.display_name)
