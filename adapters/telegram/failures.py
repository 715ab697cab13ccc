"""What went wrong with a request to Telegram, in the companion's terms."""

from collections.abc import Callable
from datetime import timedelta

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from companion.errors import DeliveryDelayedError, DeliveryError, OperatorError, OutOfReachError

AGAIN = timedelta(seconds=3)
NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    RuntimeError,  # the client is closed
)
GONE = ("chat not found", "user is deactivated", "group chat was deactivated", "peer_id_invalid")
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What python-telegram-bot raises at an answer that is none of Telegram's."""
Hide = Callable[[str], str]
"""Takes the token out of a text."""


def delivery_error(error: TelegramError, hide: Hide) -> DeliveryError | DeliveryDelayedError:
    """What a failed send means for the message."""
    text = hide(error.message)
    match error:
        case RetryAfter():
            return DeliveryDelayedError(text, delay=seconds(error))
        case Forbidden() | ChatMigrated():
            return OutOfReachError(text)
        case InvalidToken():
            return DeliveryDelayedError(text, delay=timedelta(minutes=1))
        case BadRequest():
            gone = any(words in text.casefold() for words in GONE)
            return OutOfReachError(text) if gone else DeliveryError(text)
        case TimedOut() | NetworkError():
            never_sent = isinstance(error.__cause__, NEVER_SENT)
            return DeliveryDelayedError(text, delay=AGAIN, unknown=not never_sent)
    return DeliveryDelayedError(text, delay=AGAIN, unknown=True)


def is_about_markup(error: BadRequest) -> bool:
    """Whether Telegram could not make sense of the formatting: the text may go out plain."""
    return "entit" in error.message.casefold()


def seconds(error: RetryAfter) -> timedelta:
    """How long Telegram asks to wait."""
    wait = error.retry_after  # a number, unless PTB_TIMEDELTA is set
    return wait if isinstance(wait, timedelta) else timedelta(seconds=wait)


class TokenRefusedError(OperatorError):
    """Telegram does not know the token."""

    def __init__(self) -> None:
        super().__init__(
            "Telegram refuses TELEGRAM_BOT_TOKEN. Ask @BotFather for the token of your bot"
            " (/mybots), and set it anew."
        )
