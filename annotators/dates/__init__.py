"""Dates: the grammar that finds them, the readings a span allows, and the annotator."""

from .annotator import DateAnnotator
from .finder import DateHit, find_dates
from .reading import DateReading, PartialDate

__all__ = ["DateAnnotator", "DateHit", "DateReading", "PartialDate", "find_dates"]
