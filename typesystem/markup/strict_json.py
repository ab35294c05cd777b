"""Parse JSON objects without silently losing values."""

from __future__ import annotations

from typing import Any


class DuplicateKeyError(Exception):
    """A key occurs twice in one object, so that one of the values would be lost."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with unique keys, as `object_pairs_hook` of `json`. Raises DuplicateKeyError."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise DuplicateKeyError
    return values
