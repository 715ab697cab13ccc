"""Main context: what stands in the prompt, and how it is kept within the window (§2.1, §2.2)."""
