"""Word vectors: read in the usual formats, learned from one's own text, looked up by form. No neural library is needed."""

from . import trainer
from .word_vectors import WordVectors

__all__ = ["WordVectors", "trainer"]
