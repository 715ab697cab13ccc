"""Measures a companion on a platform: what is lost or doubled, and what it adds to an answer."""
