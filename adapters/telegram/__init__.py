"""Telegram: private chats, groups and forum topics."""

from adapters.telegram.adapter import Account, Telegram
from adapters.telegram.failures import TokenRefusedError
from adapters.telegram.to_event import PLATFORM
from adapters.telegram.webhook import Webhook

__all__ = [
    "PLATFORM",
    "Account",
    "Telegram",
    "TokenRefusedError",
    "Webhook",
]
