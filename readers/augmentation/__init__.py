"""Augmented copies of documents with gold spans."""

from .reader import AugmentReader

__all__ = ["AugmentReader"]
