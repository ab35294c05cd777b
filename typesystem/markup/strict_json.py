"""JSON objects in which nothing is lost without a word."""

from __future__ import annotations

from typing import Any


class DuplicateKeyError(Exception):
    """A property occurred twice in one object: one of the values would be lost."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, as `object_pairs_hook` of `json`. Raises DuplicateKeyError."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DuplicateKeyError
    return made
