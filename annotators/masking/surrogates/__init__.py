"""Realistic, fictional replacements: names, places, numbers."""
