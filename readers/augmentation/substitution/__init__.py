"""Replaces values by other values of their kind, each person and place by the same one through a document."""
