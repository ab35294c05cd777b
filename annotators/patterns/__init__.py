"""Rules as data: rule files in YAML, the engine that runs them, and the component `patterns`."""

from . import addresses, codes, shapes
from .annotator import PatternAnnotator
from .rule_file import RuleFile
from .validators import FILTERS, VALIDATORS, hit_filter, validator

__all__ = [
    "FILTERS",
    "VALIDATORS",
    "PatternAnnotator",
    "RuleFile",
    "addresses",
    "codes",
    "hit_filter",
    "shapes",
    "validator",
]
