"""Every chat command."""

from companion.commands.about import about_commands
from companion.commands.memory import MEMORY_COMMANDS
from companion.commands.own_data import OWN_DATA_COMMANDS

_OTHERS = (*MEMORY_COMMANDS, *OWN_DATA_COMMANDS)
COMMANDS = {c.name: c for c in (*_OTHERS, *about_commands(_OTHERS))}
