"""A conversation in a terminal, or in a script's pipes."""

from adapters.terminal.lines import Lines, one_line, standard_input
from adapters.terminal.prompt import Prompt
from adapters.terminal.translate import PLATFORM, address

__all__ = ["PLATFORM", "Lines", "Prompt", "address", "one_line", "standard_input"]
