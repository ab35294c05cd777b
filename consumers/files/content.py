"""What a consumer writes of one document, before it has a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document's file, and what goes with them."""

    data: bytes
    companions: tuple[tuple[str, bytes], ...] = ()
    """Suffix and bytes of further files with the same name."""
    state: Any = None
    """What the consumer must know of the document even if its bytes are adopted from an earlier run: plain JSON without text."""
    extra: Any = None
    """What `commit` needs besides the bytes."""
