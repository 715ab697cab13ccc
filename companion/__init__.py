"""A companion that remembers: the system of the MemGPT paper (arXiv 2310.08560)."""
