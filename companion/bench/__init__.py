"""What a turn costs: the product against a floor, measured in one go."""
