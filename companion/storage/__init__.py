"""The only SQL: one SQLite file, a store a topic."""
