"""Random draws for one document, which depend only on the seed, the document number and the purpose."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """Random draws for one purpose in one document.

    The seed is a keyed hash, so document 7 is independent of the documents generated before it, in any process. Only
    `Random.random` is used: it is the one method whose sequence Python guarantees between versions.
    """

    __slots__ = ("unit",)

    def __init__(self, seed: int, number: int | str, purpose: str) -> None:
        key = hashlib.blake2b(str(seed).encode(), digest_size=32).digest()
        digest = hashlib.blake2b(f"{purpose}\0{number}".encode(), key=key, digest_size=16).digest()
        self.unit = random.Random(int.from_bytes(digest, "big")).random
        """Return the next number in [0, 1)."""

    def chance(self, share: float) -> bool:
        return self.unit() < share

    def below(self, limit: int) -> int:
        """Return an integer from 0 to `limit` - 1."""
        return int(self.unit() * limit)

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + int(self.unit() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.unit() * len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """Return an item of (item, weight) pairs. Weights need not sum to one; at least one must be positive."""
        left = self.unit() * sum(weight for _, weight in items)
        for item, weight in items:
            left -= weight
            if left < 0:
                return item
        return next(item for item, weight in reversed(items) if weight > 0)
