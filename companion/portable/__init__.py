"""A person's data in a file that they can take along, and read."""
