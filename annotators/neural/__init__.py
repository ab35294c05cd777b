"""Neural networks over tokens, put together from named parts. PyTorch is asked for when one is trained or applied."""

from . import annotator, parts, trainer, vectors

__all__ = ["annotator", "parts", "trainer", "vectors"]
