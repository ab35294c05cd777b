"""Rules as data: rule files in YAML, the engine that runs them, and the component `patterns`."""

from . import addresses, shapes
from .annotator import PatternAnnotator
from .engine import Hit, Matcher
from .filters import FILTERS, hit_filter
from .rules import Rule, RuleFile
from .validators import VALIDATORS, validator

__all__ = [
    "FILTERS",
    "VALIDATORS",
    "Hit",
    "Matcher",
    "PatternAnnotator",
    "Rule",
    "RuleFile",
    "addresses",
    "hit_filter",
    "shapes",
    "validator",
]
