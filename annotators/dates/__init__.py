"""Dates: the grammar that finds them, the readings a span allows, and the annotator."""
