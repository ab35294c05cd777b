"""Veto false candidates: medical terms, eponyms and drug names that were taken for people, places or dates."""

from .annotator import Disambiguation

__all__ = ["Disambiguation"]
