"""Cleaning of a text before it is analyzed, in a view of its own, and the way back to the offsets of the original text."""
