"""Dates: the grammar that finds them, the readings a span allows, and the annotator."""

from .annotator import DateAnnotator
from .expression import DateHit
from .finder import find_dates
from .parse import layouts, parse_date
from .reading import DateReading, PartialDate

__all__ = ["DateAnnotator", "DateHit", "DateReading", "PartialDate", "find_dates", "layouts", "parse_date"]
