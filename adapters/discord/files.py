"""What stands in a text file that somebody attached; Discord makes one of every long message."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

import discord

from adapters.discord.failures import TROUBLE, in_words
from companion.events import FileReceived, PlatformEvent

logger = logging.getLogger(__name__)

MOST_BYTES = 10_000_000
"""A larger file is not fetched."""
MOST_CHARS = 60_000
FETCH_SECONDS = 60.0
_TEXTS = ("application/json", "application/xml", "application/toml", "application/yaml")


async def with_contents(
    events: Sequence[PlatformEvent], files: Sequence[discord.Attachment]
) -> list[PlatformEvent]:
    """`events`, one for each of `files`, with the contents of those that are text."""
    return [
        replace(event, contents=await _contents(event, file)) if _is_text(event) else event
        for event, file in zip(events, files, strict=True)
        if isinstance(event, FileReceived)
    ]


def _is_text(event: PlatformEvent) -> bool:
    if not isinstance(event, FileReceived):
        return False
    return event.media_type.startswith("text/") or event.media_type in _TEXTS


async def _contents(event: FileReceived, file: discord.Attachment) -> str:
    if file.size > MOST_BYTES:
        return f"({event.name} is too large to be read)"
    try:
        async with asyncio.timeout(FETCH_SECONDS):
            content = await file.read()
    except TROUBLE as error:
        logger.warning("attachment %d can't be read: %s", file.id, in_words(error))
        return f"({event.name} could not be fetched)"
    return shown(event.name, content.decode("utf-8-sig", "replace"))


def shown(name: str, text: str) -> str:
    """`text` as what stands in the file `name`, cut where it is too long."""
    if len(text) <= MOST_CHARS:
        return f"({name}:)\n{text.strip()}"
    return (
        f"({name}, the first {MOST_CHARS:,} of {len(text):,} characters; the rest was not read:)\n"
        f"{text[:MOST_CHARS].strip()}"
    )
