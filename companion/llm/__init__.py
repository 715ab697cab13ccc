"""Models: what we ask of them, and what comes back."""
