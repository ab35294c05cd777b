"""Neural networks for token labeling, assembled from named parts. PyTorch is needed only for training and application."""

from . import annotator, parts, trainer, vectors

__all__ = ["annotator", "parts", "trainer", "vectors"]
