"""Keeps a connection to Discord, whatever ends discord.py."""

import logging
from collections.abc import Awaitable, Callable

import discord

from adapters.discord.backoff import Backoff
from adapters.discord.client import Sleep
from adapters.discord.failures import (
    INTENT_MISSING,
    TOKEN_REFUSED,
    RefusedByDiscordError,
    in_words,
)

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
        words = "Discord ended the connection"
        try:
            await connect()
        except discord.LoginFailure:
            raise RefusedByDiscordError(TOKEN_REFUSED) from None
        except discord.PrivilegedIntentsRequired:
            raise RefusedByDiscordError(INTENT_MISSING) from None
        except discord.ConnectionClosed as error:
            if error.code == AUTHENTICATION_FAILED:
                raise RefusedByDiscordError(TOKEN_REFUSED) from None
            words = f"Discord ended the connection with code {error.code}"
        except Exception as error:
            words = f"Discord can't be reached: {in_words(error)}"
            logger.debug("what ended the connection", exc_info=True)
        pause = backoff.next()
        log = logger.info if words in known else logger.warning
        log("%s; trying again in %.0f s", words, pause)
        known.add(words)
        await troubled(words)
        await sleep(pause)
