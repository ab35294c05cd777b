"""Documents to and from dkpro-cassis: what other Python tools for UIMA work on."""

from .cassis_in import from_cassis
from .cassis_out import to_cassis

__all__ = ["from_cassis", "to_cassis"]
