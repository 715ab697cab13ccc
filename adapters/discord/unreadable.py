"""What Discord gave and nobody can read: its name among the dead letters."""

from typing import Any

import discord

from adapters.letters import fingerprint

MALFORMED = (
    *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError),
    discord.DiscordException,
)
"""What discord.py raises at data that is not Discord's."""
NEW_MESSAGE = "MESSAGE_CREATE"


def id_of(given: object) -> int | None:
    """The id of something, if it has one that Discord could give."""
    found: Any = given.get("id") if isinstance(given, dict) else None
    return int(found) if isinstance(found, str) and found.isascii() and found.isdigit() else None


def name_of(kind: str, given: object) -> str:
    """What the happening `kind` with the data `given` is kept under; a message under its id."""
    number = id_of(given)
    if number is None:
        return f"{kind} {fingerprint(given)}"
    return str(number) if kind == NEW_MESSAGE else f"{kind} {number}"
