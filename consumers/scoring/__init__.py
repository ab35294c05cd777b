"""Scoring of system spans against reference spans: by span, token, character and document, and as in shared tasks."""

from .alignment import Level, at_level
from .bootstrap import bootstrap_interval, bootstrap_intervals, wilson, wilson_intervals
from .comparison import Comparison, compare
from .counts import Counts, Measure, Tally
from .document import Entity, Mark, Pair, pair_of, pair_of_two
from .risk import risk_of
from .risk_profile import Profile, by_patient, found_profile, profile_of
from .risk_result import Risk, RiskSettings
from .run import CRITERIA, SCHEMES, measures, score
from .scores import Scores
from .table import Row

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
    "Profile",
    "Risk",
    "RiskSettings",
    "Row",
    "Scores",
    "Tally",
    "at_level",
    "bootstrap_interval",
    "bootstrap_intervals",
    "by_patient",
    "compare",
    "found_profile",
    "measures",
    "pair_of",
    "pair_of_two",
    "profile_of",
    "risk_of",
    "score",
    "wilson",
    "wilson_intervals",
]
