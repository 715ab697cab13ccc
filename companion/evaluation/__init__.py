"""Experiments that tell how well a model does as a companion."""
