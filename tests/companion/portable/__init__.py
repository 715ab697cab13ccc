"""Tests of what a person can take along."""
