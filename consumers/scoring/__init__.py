"""Scoring: system spans against reference spans, by span, token, character and document, and as shared tasks did it."""

from .bootstrap import bootstrap_interval, bootstrap_intervals, wilson, wilson_intervals
from .comparison import Comparison, compare
from .counts import Counts, Measure, Tally
from .document import Entity, Mark, Pair, pair_of, pair_of_two
from .kinds import Level, at_level
from .run import CRITERIA, SCHEMES, measures, score
from .scores import Row, Scores

__all__ = [
    "CRITERIA",
    "SCHEMES",
    "Comparison",
    "Counts",
    "Entity",
    "Level",
    "Mark",
    "Measure",
    "Pair",
    "Row",
    "Scores",
    "Tally",
    "at_level",
    "bootstrap_interval",
    "bootstrap_intervals",
    "compare",
    "measures",
    "pair_of",
    "pair_of_two",
    "score",
    "wilson",
    "wilson_intervals",
]
