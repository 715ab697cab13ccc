"""Keeps a connection to Discord, whatever ends discord.py."""

import logging
from collections.abc import Awaitable, Callable

import discord

from adapters.backoff import Backoff
from adapters.discord.client import Sleep
from adapters.discord.failures import (
    INTENT_MISSING,
    TOKEN_REFUSED,
    RefusedByDiscordError,
    in_words,
)
from companion.tasks import failure_of

logger = logging.getLogger(__name__)

AUTHENTICATION_FAILED = 4004
DISALLOWED_INTENTS = 4014


async def supervise(
    connect: Callable[[], Awaitable[None]],
    *,
    troubled: Callable[[str], Awaitable[None]],
    backoff: Backoff,
    sleep: Sleep,
) -> None:
    """Connect, and again when that ends, after a growing pause.

    Raises:
        RefusedByDiscordError: the token or the intents are wrong; only the operator can help.
    """
    known: set[str] = set()
    while True:
        error = await failure_of(connect())
        words = _what_ended(error)
        logger.debug("what ended the connection", exc_info=error)
        pause = backoff.next()
        log = logger.info if words in known else logger.warning
        log("%s; trying again in %.0f s", words, pause)
        known.add(words)
        await troubled(words)
        await sleep(pause)


def _what_ended(error: Exception | None) -> str:
    """Why the connection has ended, in words.

    Raises:
        RefusedByDiscordError: trying again won't help.
    """
    match error:
        case None:
            return "Discord ended the connection"
        case discord.LoginFailure():
            raise RefusedByDiscordError(TOKEN_REFUSED) from None
        case discord.PrivilegedIntentsRequired():
            raise RefusedByDiscordError(INTENT_MISSING) from None
        case discord.ConnectionClosed(code=code):
            if code == AUTHENTICATION_FAILED:
                raise RefusedByDiscordError(TOKEN_REFUSED) from None
            return f"Discord ended the connection with code {code}"
    return f"Discord can't be reached: {in_words(error)}"
