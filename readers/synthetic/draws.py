"""Random draws of one document: a function of seed, document number and purpose, and of nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """Draws for one purpose in one document.

    Seeded by a keyed hash, so that document 7 is the same whatever was made before it, and in any process. Only
    `Random.random` is used, the one method whose sequence Python promises to keep between versions.
    """

    __slots__ = ("unit",)

    def __init__(self, seed: int, number: int, purpose: str) -> None:
        key = hashlib.blake2b(str(seed).encode(), digest_size=32).digest()
        digest = hashlib.blake2b(f"{purpose}\0{number}".encode(), key=key, digest_size=16).digest()
        self.unit = random.Random(int.from_bytes(digest, "big")).random
        """The next number in [0, 1)."""

    def chance(self, share: float) -> bool:
        return self.unit() < share

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1."""
        return int(self.unit() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.unit() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.unit() * len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One of (item, weight) pairs. Weights need not add up to one; not all may be zero."""
        left = self.unit() * sum(weight for _, weight in items)
        for item, weight in items:
            left -= weight
            if left < 0:
                return item
        return next(item for item, weight in reversed(items) if weight > 0)
