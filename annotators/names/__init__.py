"""Names: people, places and organizations found by lists and context, before any model is trained."""

from .annotator import NameAnnotator

__all__ = ["NameAnnotator"]
