"""Pressed buttons: what they stand for is taken in as if it had been written."""

import logging

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError

from adapters.base import Handle, Host
from adapters.buttons import OVER, rows
from adapters.telegram.to_event import Pressed
from companion.choices import references
from companion.clock import Clock
from companion.events import MessageReceived, OutgoingMessage

logger = logging.getLogger(__name__)


def keyboard(message: OutgoingMessage) -> InlineKeyboardMarkup | None:
    """The buttons below `message`; None where it has none."""
    if not message.choices:
        return None
    buttons = [
        InlineKeyboardButton(label, callback_data=str(reference))
        for label, reference in references(message)
    ]
    laid_out = rows([button.text for button in buttons])
    return InlineKeyboardMarkup([[buttons[place] for place in row] for row in laid_out])


class Presses:
    """Takes in what is pressed."""

    def __init__(self, bot: Bot, *, host: Host, handle: Handle, clock: Clock) -> None:
        self._bot = bot
        self._host = host
        self._handle = handle
        self._clock = clock

    async def take(self, pressed: Pressed) -> None:
        """Take in what the button stands for, put the buttons away, and answer Telegram.

        Raises:
            DatabaseError: it could not be stored now, and must not be confirmed.
        """
        choice = await self._host.chosen(pressed.address, pressed.reference)
        if choice is not None and choice.words:
            await self._handle(
                MessageReceived(
                    # once for each who presses: the buttons may be seen for a moment longer
                    id=f"{self._bot.id}/{pressed.reference}/{pressed.sender.user}",
                    address=pressed.address,
                    sender=pressed.sender,
                    at=self._clock.now(),
                    text=choice.words,
                )
            )
        await self._answer(pressed, OVER if choice is None else None)

    async def _answer(self, pressed: Pressed, text: str | None) -> None:
        """End the waiting that Telegram shows on the button. That it fails changes nothing."""
        try:
            await self._bot.answer_callback_query(pressed.query, text)
            await self._bot.edit_message_reply_markup(
                chat_id=pressed.address.chat, message_id=pressed.message, reply_markup=None
            )
        except TelegramError as error:  # too late, or another press has put them away
            logger.info("a pressed button is left as it is: %s", type(error).__name__)
