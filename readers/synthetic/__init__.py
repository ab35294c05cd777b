"""Synthetic clinical and pharmacovigilance narratives with gold PHI, generated from templates."""

from .document import Document, Maker
from .reader import SyntheticReader

__all__ = ["Document", "Maker", "SyntheticReader"]
