"""The commands, one a file: `add` declares its arguments, `run` does it and gives the exit code."""
