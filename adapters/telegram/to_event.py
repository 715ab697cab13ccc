"""What an update of Telegram's means to the companion. Pure: every decision about it is here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from telegram import (
    CallbackQuery,
    Chat,
    Message,
    MessageEntity,
    MessageReactionUpdated,
    ReactionType,
    ReactionTypeEmoji,
    Update,
)
from telegram import User as TelegramUser

from adapters.telegram.in_words import in_words, quoted, written_by
from adapters.telegram.to_markdown import to_markdown
from companion.choices import Reference
from companion.events import (
    Address,
    FileReceived,
    MessageEdited,
    MessageReceived,
    PersonStarted,
    PlatformEvent,
    ReactionReceived,
    Sender,
    VoiceReceived,
)

PLATFORM = "telegram"
UPDATES = ("message", "edited_message", "message_reaction", "callback_query")
"""The kinds of update that mean something to us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """The bot's own account, and what the companion is called."""

    id: int
    username: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Whether the sender of an update may talk to it, and which groups' talk it follows."""

    admitted: bool = False
    listens: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """Somebody who may not talk to it wrote in private."""

    sender: Sender
    chat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A group has another id from now on: it became a supergroup."""

    chat: int
    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """Somebody pressed a button below the message `message` at `address`.

    `query` is what Telegram waits to have answered.
    """

    query: str
    address: Address
    sender: Sender
    message: int
    reference: Reference


Meaning = PlatformEvent | Stranger | Moved | Pressed | None


def to_event(update: Update, me: Me, admission: Admission) -> Meaning:
    """What `update` means, or None: bots, channels and what is not meant for us mean nothing."""
    if update.message_reaction is not None:
        return _reaction(update.update_id, update.message_reaction, me, admission)
    if update.callback_query is not None:
        return _pressed(update.callback_query, admission)
    message = update.message or update.edited_message
    if message is None:
        return None
    _check(message.chat)
    if message.migrate_to_chat_id is not None:
        return Moved(chat=message.chat.id, to=_whole(message.migrate_to_chat_id))
    if message.migrate_from_chat_id is not None:
        return Moved(chat=_whole(message.migrate_from_chat_id), to=message.chat.id)
    user = message.from_user
    if user is None or user.is_bot or message.sender_chat is not None:
        return None
    private = message.chat.type == Chat.PRIVATE
    if private and not admission.admitted:
        return Stranger(sender=_sender(user), chat=message.chat.id) if update.message else None
    addressed = admission.admitted and (private or _is_addressed(message, me))
    if not addressed and message.chat.id not in admission.listens:
        return None
    if update.edited_message is not None:
        return _edited(update.update_id, message, user, me)
    return _received(message, user, me, addressed=addressed)


class _Own(TypedDict):
    id: str
    address: Address
    sender: Sender
    at: datetime


def _received(message: Message, user: TelegramUser, me: Me, *, addressed: bool) -> Meaning:
    id_ = f"{me.id}/{message.chat.id}/{_whole(message.message_id)}"
    address, sender, at = _address(message), _sender(user), message.date
    command = _command(message, me)
    if command is not None:
        if not addressed or not _is_ours(command, me):
            return None
        if command.partition("@")[0] == "/start" and address.private:
            return PersonStarted(id=id_, address=address, sender=sender, at=at)
    own: _Own = {"id": id_, "address": address, "sender": sender, "at": at}
    number = str(message.message_id)
    if message.voice or message.video_note:
        seconds = _seconds(message)
        return VoiceReceived(**own, message=number, seconds=seconds, addressed=addressed)
    text = message.text if command is not None and message.text else _text(message)
    file = _file(message)
    if file is not None:
        return FileReceived(
            **own,
            name=file[0],
            media_type=file[1],
            size=file[2],
            text=text,
            forwarded=written_by(message.forward_origin),
            message=number,
            addressed=addressed,
            more_may_follow=addressed,
            album=message.media_group_id or "",
        )
    if not text.strip():
        return None
    answers, answered = quoted(message, me.id)
    return MessageReceived(
        **own,
        text=text,
        message=number,
        answers=answers,
        answered=answered,
        forwarded=written_by(message.forward_origin),
        addressed=addressed,
        more_may_follow=addressed and command is None,
    )


def _edited(update: int, message: Message, user: TelegramUser, me: Me) -> Meaning:
    text = _text(message)
    if not text.strip():
        return None
    return MessageEdited(
        id=f"{me.id}/update/{update}",
        address=_address(message),
        sender=_sender(user),
        at=message.edit_date or message.date,
        message=str(_whole(message.message_id)),
        text=text,
    )


def _reaction(
    update: int, reaction: MessageReactionUpdated, me: Me, admission: Admission
) -> Meaning:
    """Only the change counts: what was put there, or else what was taken back."""
    _check(reaction.chat)
    user = reaction.user
    if user is None or user.is_bot or not admission.admitted:
        return None
    old, new = _emoji(reaction.old_reaction), _emoji(reaction.new_reaction)
    added, taken = [e for e in new if e not in old], [e for e in old if e not in new]
    if not added and not taken:
        return None
    return ReactionReceived(
        id=f"{me.id}/update/{update}",
        address=Address(
            platform=PLATFORM,
            chat=str(reaction.chat.id),
            private=reaction.chat.type == Chat.PRIVATE,
        ),
        sender=_sender(user),
        at=reaction.date,
        message=str(_whole(reaction.message_id)),
        emoji=(added or taken)[0],
        removed=not added,
    )


def _pressed(query: CallbackQuery, admission: Admission) -> Pressed | None:
    sender, reference = _sender(query.from_user), Reference.read(query.data or "")
    if query.message is None or reference is None or not admission.admitted:
        return None
    chat = query.message.chat
    _check(chat)
    if isinstance(query.message, Message):
        address = _address(query.message)
    else:  # one that Telegram doesn't show to bots any more
        address = Address(platform=PLATFORM, chat=str(chat.id), private=chat.type == Chat.PRIVATE)
    return Pressed(
        query=query.id,
        address=address,
        sender=sender,
        message=_whole(query.message.message_id),
        reference=reference,
    )


def _emoji(reactions: Sequence[ReactionType]) -> list[str]:
    return [one.emoji for one in reactions if isinstance(one, ReactionTypeEmoji)]


def _address(message: Message) -> Address:
    topic = message.message_thread_id if message.is_topic_message else None
    return Address(
        platform=PLATFORM,
        chat=str(message.chat.id),
        thread=str(topic) if topic else None,
        private=message.chat.type == Chat.PRIVATE,
    )


def _check(chat: Chat) -> None:
    """Let nothing be taken for a chat that is none: what is said in private stays there.

    Raises:
        TypeError: this is none.
    """
    _whole(chat.id)
    if not isinstance(chat.type, str):
        raise TypeError("a chat of no kind")


def _whole(given: int) -> int:
    """An id; python-telegram-bot gives on whatever Telegram wrote there.

    Raises:
        TypeError: it is none.
    """
    if type(given) is not int:
        raise TypeError("an id that is no number")
    return given


def _sender(user: TelegramUser) -> Sender:
    return Sender(user=str(_whole(user.id)), name=user.full_name)


def _text(message: Message) -> str:
    """What the message says, with its formatting."""
    if message.text is not None:
        return to_markdown(message.text, message.entities)
    if message.caption is not None:
        return to_markdown(message.caption, message.caption_entities)
    return in_words(message)


_MEDIA = (("animation", "video/mp4"), ("video", "video/mp4"), ("audio", "audio/mpeg"))


def _file(message: Message) -> tuple[str, str, int] | None:
    """Name, type and size of the file in a message."""
    if message.photo:
        return "photo", "image/jpeg", message.photo[-1].file_size or 0
    for kind, type_ in _MEDIA:
        if media := getattr(message, kind):
            return media.file_name or kind, media.mime_type or type_, media.file_size or 0
    if file := message.document:
        type_ = file.mime_type or "application/octet-stream"
        return file.file_name or "file", type_, file.file_size or 0
    return None


def _seconds(message: Message) -> int:
    length = (message.voice or message.video_note).duration  # type: ignore[union-attr]
    return int(length if isinstance(length, int) else length.total_seconds())


def _command(message: Message, me: Me) -> str | None:
    """The command that the message begins with, such as "/help@its_bot"."""
    for entity in message.entities:
        if entity.type == MessageEntity.BOT_COMMAND and entity.offset == 0:
            return message.parse_entity(entity)
    return None


def _is_ours(command: str, me: Me) -> bool:
    bot = command.partition("@")[2]
    return not bot or bot.casefold() == me.username.casefold()


def _is_addressed(message: Message, me: Me) -> bool:
    """Whether a message of a group is meant for us: a mention, a reply, our name or a command."""
    original = message.reply_to_message
    if original is not None and not original.forum_topic_created:
        author = original.from_user
        if author is not None and author.id == me.id:
            return True
    command = _command(message, me)
    if command is not None:
        return _is_ours(command, me)
    found = message.parse_entities() | message.parse_caption_entities()
    for entity, text in found.items():
        if entity.type == MessageEntity.MENTION and text.casefold() == f"@{me.username}".casefold():
            return True
        if entity.type == MessageEntity.TEXT_MENTION and entity.user and entity.user.id == me.id:
            return True
    said = message.text or message.caption or ""
    return re.search(rf"(?<!\w){re.escape(me.name)}(?!\w)", said, re.IGNORECASE) is not None
