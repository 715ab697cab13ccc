"""Every chat command."""

from companion.commands.about import about_commands
from companion.commands.linking import LINK_COMMANDS
from companion.commands.memory import MEMORY_COMMANDS
from companion.commands.openers import OPENER_COMMANDS
from companion.commands.own_data import OWN_DATA_COMMANDS
from companion.commands.people import PEOPLE_COMMANDS
from companion.commands.persona import PERSONA_COMMANDS
from companion.commands.schedule import SCHEDULE_COMMANDS
from companion.commands.status import STATUS_COMMANDS

_TOPICS = (
    *MEMORY_COMMANDS,
    *SCHEDULE_COMMANDS,
    *OPENER_COMMANDS,
    *OWN_DATA_COMMANDS,
    *PERSONA_COMMANDS,
    *STATUS_COMMANDS,
    *LINK_COMMANDS,
    *PEOPLE_COMMANDS,
)
COMMANDS = {c.name: c for c in (*_TOPICS, *about_commands(_TOPICS))}
FOR_EVERYBODY = {name: c for name, c in COMMANDS.items() if c.only != "owner"}
"""What platforms show in their menus."""
