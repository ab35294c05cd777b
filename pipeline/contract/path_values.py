"""Paths in the values of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_LONGEST = 4096
"""Length of the longest path (Linux)."""


def paths_in(value: Any) -> Iterator[Path]:
    """Yield every value that can be a path: paths and strings, also in lists and mappings."""
    if isinstance(value, str | Path):
        if "\0" not in str(value) and len(str(value)) < _LONGEST:
            yield Path(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from paths_in(inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from paths_in(inner)
