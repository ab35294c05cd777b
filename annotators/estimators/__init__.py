"""Estimators of scikit-learn: `PhiTagger` labels sequences, `PhiDetector` finds spans in texts.

Importing this package imports scikit-learn. Nothing else in caspipe imports this package.
"""

from .detector import PhiDetector
from .scoring import SpanScorer, score_spans
from .tagger import PhiTagger

__all__ = ["PhiDetector", "PhiTagger", "SpanScorer", "score_spans"]
