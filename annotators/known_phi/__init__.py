"""Known PHI: what the record says about a person, found in its narratives."""

from .annotator import KnownPhiAnnotator

__all__ = ["KnownPhiAnnotator"]
