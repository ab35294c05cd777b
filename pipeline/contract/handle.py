"""Handles: documents that have not been read yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Handle:
    """A document that has not been read yet."""

    id: str
    """Id of the document."""
    data: Any
    """Data from which the reader loads it; small, and can be pickled."""
