"""What went wrong with a request to Discord, in the companion's terms."""

from datetime import timedelta

import aiohttp
import discord

from companion.errors import DeliveryDelayedError, DeliveryError, OperatorError, OutOfReachError

PORTAL = "https://discord.com/developers/applications"
TOKEN_REFUSED = (
    f"Discord refuses DISCORD_BOT_TOKEN. Open {PORTAL}, your application, Bot, click Reset Token,"
    " and set the token that it shows."
)
INTENT_MISSING = (
    "Discord does not let this bot read server messages that don't mention it, which [discord]"
    f" channels or read_all asks for. Open {PORTAL}, your application, Bot, and switch on Message"
    " Content Intent; or take those settings out."
)
INTERACTION_OVER = {10062, 10015, 50027}
"""Discord's codes for an interaction that was answered too late."""

OUT_OF_REACH = {10003, 50001, 50007, 50278}
"""Discord's codes for a channel that is gone or closed to us, and for closed direct messages."""

AGAIN = timedelta(seconds=3)
BANNED = timedelta(minutes=1)

Trouble = discord.DiscordException | aiohttp.ClientError | OSError
TROUBLE = (discord.DiscordException, aiohttp.ClientError, OSError)
"""What a request to Discord may raise; TimeoutError is an OSError."""


class RefusedByDiscordError(OperatorError):
    """Discord does not let the bot in as it is set up."""


def delivery_error(
    error: Trouble, again: timedelta = AGAIN
) -> DeliveryError | DeliveryDelayedError:
    """What a failed send means for the message. `again` is how long to wait without a hint."""
    match error:
        case discord.RateLimited():
            return DeliveryDelayedError("rate limit", delay=timedelta(seconds=error.retry_after))
        case discord.HTTPException(status=429):
            return DeliveryDelayedError("Discord keeps us out for a while", delay=_wait(error))
        case discord.HTTPException(status=401):
            return DeliveryDelayedError(TOKEN_REFUSED, delay=BANNED)
        case discord.HTTPException() if error.status >= 500:
            return DeliveryDelayedError(in_words(error), delay=again, unknown=True)
        case discord.HTTPException() if error.code in OUT_OF_REACH:
            return OutOfReachError(in_words(error))
        case discord.HTTPException():
            return DeliveryError(in_words(error))
        case aiohttp.ClientConnectorError():
            return DeliveryDelayedError(in_words(error), delay=again)
    return DeliveryDelayedError(in_words(error), delay=again, unknown=True)


def _wait(error: discord.HTTPException) -> timedelta:
    """How long a 429 without Discord's own limits asks to wait."""
    try:
        return timedelta(seconds=float(error.response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return BANNED


def in_words(error: BaseException) -> str:
    """`error` in one line, without what people wrote.

    Of what is no trouble with a request only the kind is named: its words may quote them.
    """
    if isinstance(error, discord.HTTPException):
        return f"Discord answers {error.status} (code {error.code})"
    if not isinstance(error, TROUBLE):
        return type(error).__name__
    return f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
