"""Ages of people: the rules that find them, guards against durations and the age of things, and the annotator."""

from .finder import AgeAnnotator, find_ages
from .match import AgeMatch

__all__ = ["AgeAnnotator", "AgeMatch", "find_ages"]
