"""Discord: direct messages, server channels and threads."""

from adapters.discord.adapter import Account, Admission, Discord
from adapters.discord.slash import Slash, slashes
from adapters.discord.to_event import PLATFORM

__all__ = ["PLATFORM", "Account", "Admission", "Discord", "Slash", "slashes"]
