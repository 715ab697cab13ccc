"""Delivers messages, a piece at a time."""

import logging
from collections.abc import Awaitable, Callable
from functools import lru_cache

from telegram import Bot, InputFile, LinkPreviewOptions, ReplyParameters
from telegram.error import BadRequest, ChatMigrated, TelegramError

from adapters.telegram.failures import delivery_error, is_about_markup
from adapters.telegram.presses import keyboard
from adapters.telegram.reactions import allowed
from adapters.telegram.render import render
from adapters.telegram.rich import Rich
from adapters.telegram.split import split
from companion.errors import DeliveryError
from companion.events import Document, OutgoingMessage

logger = logging.getLogger(__name__)

Moved = Callable[[str, str], Awaitable[None]]
"""Told when a group has another id: the old one and the new one."""


@lru_cache(maxsize=256)
def pieces(text: str) -> tuple[Rich, ...]:
    """`text` as it goes out; the same text always gives the same pieces."""
    return tuple(split(render(text)))


class Sending:
    """Sends what the companion says."""

    def __init__(self, bot: Bot, *, link_previews: bool, moved: Moved) -> None:
        self._bot = bot
        self._preview = LinkPreviewOptions(is_disabled=not link_previews)
        self._moved = moved
        self._now_called: dict[str, str] = {}

    async def send(self, message: OutgoingMessage) -> str | None:
        """Deliver one piece of `message`; as plain text where its formatting is refused.

        Gives Telegram's id of the piece.

        Raises:
            DeliveryError: Telegram will not take it.
            DeliveryDelayedError: it may take it later, or has taken it and did not say so.
        """
        if message.document is not None:
            return await self._hand_over(message, message.document)
        try:
            if message.reacts_to is not None:
                await self._react(message, message.reacts_to)
                return None
            parts = pieces(message.text)
            if message.piece >= len(parts):
                raise DeliveryError("there is nothing to see in it")
            return await self._send_formatted(message, parts[message.piece])
        except TelegramError as error:
            raise delivery_error(error, self._without_token) from None

    async def _hand_over(self, message: OutgoingMessage, document: Document) -> str:
        address = message.address
        try:
            sent = await self._bot.send_document(
                chat_id=self._chat(message),
                message_thread_id=int(address.thread) if address.thread else None,
                document=InputFile(document.content, filename=document.name),
                caption=message.text,
            )
        except TelegramError as error:
            raise delivery_error(error, self._without_token) from None
        return str(sent.message_id)

    async def _react(self, message: OutgoingMessage, to: str) -> None:
        """Put an emoji to a message. One that Telegram doesn't take is worth no more words."""
        emoji = allowed(message.text)
        if emoji is None:
            logger.info("message %d is an emoji that Telegram doesn't take", message.id)
            return
        try:
            await self._bot.set_message_reaction(self._chat(message), int(to), emoji)
        except BadRequest as error:
            logger.info("an emoji can't be put to a message: %s", error.message)

    async def _send_formatted(self, message: OutgoingMessage, part: Rich) -> str:
        try:
            return await self._send_where_it_is(message, part)
        except ChatMigrated as error:
            new = str(error.new_chat_id)
            self._now_called[message.address.chat] = new
            await self._moved(message.address.chat, new)
            return await self._send_where_it_is(message, part)

    async def _send_where_it_is(self, message: OutgoingMessage, part: Rich) -> str:
        try:
            return await self._post(message, part)
        except BadRequest as error:
            if not part.spans or not is_about_markup(error):
                raise
            logger.warning("message %d goes out plain: %s", message.id, error.message)
            return await self._post(message, Rich(part.text))

    async def _post(self, message: OutgoingMessage, part: Rich) -> str:
        address = message.address
        answers = None
        if message.answers is not None and message.piece == 0:
            answers = ReplyParameters(int(message.answers), allow_sending_without_reply=True)
        sent = await self._bot.send_message(
            chat_id=self._chat(message),
            message_thread_id=int(address.thread) if address.thread else None,
            text=part.text,
            entities=part.entities(),
            link_preview_options=self._preview,
            reply_parameters=answers,
            reply_markup=keyboard(message) if _is_last(message) else None,
        )
        return str(sent.message_id)

    def _chat(self, message: OutgoingMessage) -> str:
        return self._now_called.get(message.address.chat, message.address.chat)

    def _without_token(self, text: str) -> str:
        return text.replace(self._bot.token, "…")


def _is_last(message: OutgoingMessage) -> bool:
    return message.piece == len(pieces(message.text)) - 1
