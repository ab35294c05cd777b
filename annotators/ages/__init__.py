"""Ages: the patterns that find them, what keeps durations and the age of things apart, and the annotator."""

from .annotator import AgeAnnotator
from .finder import find_ages
from .hit import AgeHit

__all__ = ["AgeAnnotator", "AgeHit", "find_ages"]
