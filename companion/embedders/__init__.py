"""What makes vectors of texts: a model in this process, or one behind an endpoint."""
