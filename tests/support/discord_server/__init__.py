"""A Discord on loopback: its HTTP API and its gateway, as strict as the real ones."""
