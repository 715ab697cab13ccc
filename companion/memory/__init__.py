"""A person's memory: what is kept, corrected and found again."""
