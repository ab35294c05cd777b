"""Documents to and from dkpro-cassis: what other Python tools for UIMA work on."""

from .from_cassis import from_cassis
from .to_cassis import to_cassis

__all__ = ["from_cassis", "to_cassis"]
