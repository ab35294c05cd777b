"""Word vectors: readers of the common formats, training, and lookup by form. No neural library is needed."""

from .word_vectors import WordVectors

__all__ = ["WordVectors"]
