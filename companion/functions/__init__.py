"""What the model may call, a file a topic."""
