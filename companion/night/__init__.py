"""Night thoughts: memory is put in order while nobody talks."""
