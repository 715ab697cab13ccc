"""What a person can ask for with a slash, the same on every platform."""
