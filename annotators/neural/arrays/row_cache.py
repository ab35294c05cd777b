"""Rows of numbers by key, computed once: the vectors of forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from .packing import Ints
from .weights import Floats32

ROOM = 16 << 20
"""Maximum memory of the rows of a cache in bytes. Those of a document that needs more are computed in any case."""


class RowCache:
    """Rows of a given length by key, in the matrix `rows`. A full cache is cleared.

    `compute` returns the rows of keys. A row must have the same bits for any other keys, so that results do not depend on the
    order of documents.
    """

    def __init__(self, length: int, compute: Callable[[Sequence[Any]], Floats32]) -> None:
        self.rows = np.empty((0, length), dtype=np.float32)
        self._most = max(1, ROOM // (4 * max(1, length)))
        self._compute = compute
        self._numbers: dict[Hashable, int] = {}

    def numbers(self, keys: Sequence[Hashable]) -> Ints:
        """Return the row numbers of keys, valid until the next call."""
        numbers = self._numbers
        new = [key for key in dict.fromkeys(keys) if key not in numbers]
        if new and len(numbers) + len(new) > self._most:
            numbers.clear()
            new = list(dict.fromkeys(keys))
        if new:
            used = len(numbers)
            if used + len(new) > len(self.rows):
                grown = np.empty((max(used + len(new), 2 * used), self.rows.shape[1]), dtype=np.float32)
                grown[:used] = self.rows[:used]
                self.rows = grown
            self.rows[used : used + len(new)] = self._compute(new)
            numbers.update(zip(new, range(used, used + len(new)), strict=True))
        return np.fromiter(map(numbers.__getitem__, keys), np.intp, len(keys))
