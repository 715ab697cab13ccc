"""Buttons below a message."""

import discord

from adapters.buttons import rows
from companion.choices import references
from companion.events import OutgoingMessage

LABEL_CHARS = 80


def view(message: OutgoingMessage) -> discord.ui.View | None:
    """The buttons below `message`; None where it has none."""
    if not message.choices:
        return None
    shown = discord.ui.View(timeout=None)
    found = references(message)
    for row, places in enumerate(rows([label for label, _ in found])):
        for place in places:
            label, reference = found[place]
            shown.add_item(
                discord.ui.Button(label=label[:LABEL_CHARS], custom_id=str(reference), row=row)
            )
    # Otherwise discord.py keeps it in memory, to call it when somebody presses.
    shown.stop()
    return shown
