"""Neural networks over tokens, put together from named parts. PyTorch is asked for when one is trained or applied."""

from . import annotator, parts, trainer

__all__ = ["annotator", "parts", "trainer"]
