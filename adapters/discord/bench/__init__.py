"""What `companion bench discord` measures."""
