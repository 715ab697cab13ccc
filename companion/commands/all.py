"""Every chat command."""

from companion.commands.about import about_commands
from companion.commands.memory import MEMORY_COMMANDS
from companion.commands.openers import OPENER_COMMANDS

_TOPICS = (*MEMORY_COMMANDS, *OPENER_COMMANDS)

COMMANDS = {c.name: c for c in (*_TOPICS, *about_commands(_TOPICS))}
