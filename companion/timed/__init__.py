"""What happens at a time of its own, while nobody writes."""
