"""A file that the companion hands over in a terminal: written to the folder one is in."""

import asyncio
from itertools import count
from pathlib import Path

from companion.errors import DeliveryError
from companion.events import OutgoingMessage


async def with_document(message: OutgoingMessage, folder: Path | None = None) -> str:
    """The text of `message`, and where the file that came with it was put.

    Raises:
        DeliveryError: it cannot be written there.
    """
    document = message.document
    if document is None:
        return message.text
    try:
        path = await asyncio.to_thread(_write, folder or Path(), document.name, document.content)
    except OSError as error:
        raise DeliveryError(f"{document.name} cannot be written: {error}") from error
    return f"{message.text}\n\nIt is in {path}"


def _write(folder: Path, name: str, content: bytes) -> Path:
    """Write it beside what is there already, readable for its owner alone."""
    folder = folder.resolve()
    stem, dot, suffix = name.rpartition(".")
    for number in count(1):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        path.write_bytes(content)
        return path
    raise AssertionError
