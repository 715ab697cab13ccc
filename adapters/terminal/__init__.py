"""A conversation in a terminal, or in a script's pipes."""
