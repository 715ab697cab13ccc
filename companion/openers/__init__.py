"""Writing first: when, about what, and what came of it."""
