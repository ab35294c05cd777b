"""Consumers that score documents against reference annotations."""
