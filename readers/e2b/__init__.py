"""Case reports in ICH E2B(R3) and E2B(R2): their elements by table, and the reader that goes by them."""

from .reader import E2bReader

__all__ = ["E2bReader"]
