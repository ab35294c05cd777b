"""The content that a consumer writes of one document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...pipeline.storage.files import Staged


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document's file, and what goes with them."""

    data: bytes
    companions: tuple[tuple[str, bytes], ...] = ()
    """Suffix and bytes of further files with the same name."""
    state: Any = None
    """Data about the document that is needed even if its bytes are adopted from an earlier run: plain JSON without text."""
    extra: Any = None
    """Data that only `commit` needs."""
    staged: Staged | None = None
    """The file, if it is on the disk already; `data` is then empty."""
