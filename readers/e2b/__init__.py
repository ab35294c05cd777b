"""Reader of case reports in ICH E2B(R3) and E2B(R2). Tables describe the elements of the two standards."""

from .reader import E2bReader

__all__ = ["E2bReader"]
