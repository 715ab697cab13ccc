"""The commands in Telegram's menu."""

import logging
from collections.abc import Mapping

from telegram import Bot, BotCommand
from telegram.error import TelegramError

logger = logging.getLogger(__name__)

Menu = Mapping[str, str]
"""Commands without their slash, and what they do."""


async def show_menu(bot: Bot, commands: Menu, by_language: Mapping[str, Menu]) -> None:
    """Register `commands`, and for the people of a language (as in "pt") those of `by_language`.

    The menu is a convenience: where Telegram doesn't take it, the commands work all the same.
    """
    for language, menu in (("", commands), *by_language.items()):
        try:
            await bot.set_my_commands(
                [BotCommand(name, text[:256]) for name, text in menu.items()],
                language_code=language or None,
            )
        except TelegramError as error:
            logger.warning("the menu of commands could not be set: %s", type(error).__name__)
