"""The commands in Telegram's menu, in the person's language where there are words for it."""

import logging
from collections.abc import Mapping

from telegram import Bot, BotCommand
from telegram.constants import BotCommandLimit
from telegram.error import TelegramError

from companion.commands.in_languages import LANGUAGES, in_other_languages

logger = logging.getLogger(__name__)

Menu = Mapping[str, str]
"""Commands without their slash, and what they do in English."""
ANY_LANGUAGE = ""


async def show_menu(bot: Bot, commands: Menu) -> None:
    """Register `commands`, where Telegram knows others.

    The menu is a convenience: where Telegram doesn't take it, the commands work all the same.
    """
    try:
        for language in (ANY_LANGUAGE, *LANGUAGES):
            menu = _menu(commands, language)
            if tuple(menu) != await bot.get_my_commands(language_code=language or None):
                await bot.set_my_commands(menu, language_code=language or None)
    except TelegramError as error:
        logger.warning("the menu of commands could not be set: %s", type(error).__name__)


def _menu(commands: Menu, language: str) -> list[BotCommand]:
    longest = int(BotCommandLimit.MAX_DESCRIPTION)
    return [
        BotCommand(name, in_other_languages(name).get(language, text)[:longest])
        for name, text in commands.items()
    ]
