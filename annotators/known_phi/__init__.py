"""Known PHI: finds the values of the record in its narratives."""

from .annotator import KnownPhiAnnotator

__all__ = ["KnownPhiAnnotator"]
