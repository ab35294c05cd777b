"""Measurements over lifelike notes that the measured process has not seen: texts, processes, rounds and the page."""
