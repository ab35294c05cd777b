"""Synthetic clinical and pharmacovigilance narratives with gold PHI: made from templates, exact by construction."""

from .document import Document, Maker
from .reader import SyntheticReader

__all__ = ["Document", "Maker", "SyntheticReader"]
