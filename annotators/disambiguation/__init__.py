"""Telling names from medical words: a medical dictionary with misspellings, drug-name stems, and the component that uses them."""

from .annotator import Disambiguation

__all__ = ["Disambiguation"]
