"""Realistic replacements: names, places, numbers that belong to nobody."""
