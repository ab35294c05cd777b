"""Names of people, places and organizations, found by lists and context without a trained model."""

from .annotator import NameAnnotator

__all__ = ["NameAnnotator"]
