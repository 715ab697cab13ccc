"""A model on this machine: its weights, the process it runs in, and others' servers."""
