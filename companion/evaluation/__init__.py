"""Measurements of how well it remembers."""
