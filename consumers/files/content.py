"""What a consumer has to write of one document, before it has a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document's file, and what goes with them."""

    data: bytes
    beside: tuple[tuple[str, bytes], ...] = ()
    """Suffix and bytes of further files beside it."""
    state: Any = None
    """What must be known of the document even where its bytes are taken over from an earlier run: plain JSON without text."""
    more: Any = None
    """What only giving the bytes their place needs."""
