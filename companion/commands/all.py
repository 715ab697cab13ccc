"""Every chat command."""

from companion.commands.about import about_commands
from companion.commands.memory import MEMORY_COMMANDS

COMMANDS = {c.name: c for c in (*MEMORY_COMMANDS, *about_commands(MEMORY_COMMANDS))}
