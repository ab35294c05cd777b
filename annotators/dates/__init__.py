"""Dates: the rules that find them, the interpretations of an expression, and the annotator."""

from .annotator import DateAnnotator
from .expression import DateExpression
from .finder import find_dates
from .interpretation import DateInterpretation, PartialDate
from .parse import parse_date

__all__ = ["DateAnnotator", "DateExpression", "DateInterpretation", "PartialDate", "find_dates", "parse_date"]
