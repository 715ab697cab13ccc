"""Kills a running companion at every point where it may be hurt, and looks what is left."""
