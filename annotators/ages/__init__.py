"""Ages: the patterns that find them, what keeps durations and the age of things apart, and the annotator."""

from .annotator import AgeAnnotator
from .finder import find_ages
from .match import AgeMatch

__all__ = ["AgeAnnotator", "AgeMatch", "find_ages"]
