"""The commands in Telegram's menu."""

import logging
from collections.abc import Mapping

from telegram import Bot, BotCommand
from telegram.constants import BotCommandLimit
from telegram.error import TelegramError

logger = logging.getLogger(__name__)

Menu = Mapping[str, str]
"""Commands without their slash, and what they do."""


async def show_menu(bot: Bot, commands: Menu) -> None:
    """Register `commands`.

    The menu is a convenience: where Telegram doesn't take it, the commands work all the same.
    """
    longest = int(BotCommandLimit.MAX_DESCRIPTION)
    try:
        await bot.set_my_commands(
            [BotCommand(name, text[:longest]) for name, text in commands.items()]
        )
    except TelegramError as error:
        logger.warning("the menu of commands could not be set: %s", type(error).__name__)
