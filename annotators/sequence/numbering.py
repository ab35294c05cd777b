"""Numbers of forms and of combinations of values, shared by all models with the same features.

Two models with the same features in a pipeline (a CRF and an SVM) share the numbers of a document and look up only their own
weights: one dictionary lookup for each token instead of one for each token and model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.intp]
Bases = tuple[str, ...]

MOST = 10_000
"""Default for the maximum number of keys in one generation."""


class KeyNumbers(dict[Any, int]):
    """The numbers of the keys so far, from 1; 0 is a position outside of the text. Numbers never change.

    A full object is not cleared but replaced by a new generation (`before` is the previous one), so that numbers stay valid.
    """

    __slots__ = ("_compute", "_fresh", "before", "order")

    def __init__(self, compute: Callable[[Sequence[Any]], list[Bases]], before: KeyNumbers | None = None) -> None:
        super().__init__()
        self._compute = compute
        self._fresh: dict[Any, Bases] = {}
        self.order: list[Any] = []
        """The keys in the order of their numbers, from number 1."""
        self.before = before
        if before is not None:
            before.before = None  # only one previous generation is needed

    def __missing__(self, key: Any) -> int:
        self.order.append(key)
        number = self[key] = len(self.order)
        return number

    def numbers(self, keys: Iterable[Any], count: int) -> Ints:
        """Return the numbers of `count` keys. New keys get the next numbers."""
        known = len(self.order)
        numbers = np.fromiter(map(self.__getitem__, keys), np.intp, count)
        if len(self.order) > known:
            self._fresh.clear()
        return numbers

    def bases(self, keys: Sequence[Any]) -> list[Bases]:
        """Return the bases of keys. The newest ones are cached, since every model needs them."""
        fresh = self._fresh
        missing = [key for key in keys if key not in fresh]
        if missing:
            fresh.update(zip(missing, self._compute(missing), strict=True))
        return [fresh[key] for key in keys]


@dataclass(slots=True)
class DocumentRows:
    """The tokens of a document as row numbers, with padding for the window on both sides of every sequence.

    `rows` has an array of length `size` for each column, with the numbers of its keys, 0 outside; `slots[i]` is the position
    of token i in these arrays.
    """

    keys: list[KeyNumbers]
    rows: list[Ints]
    slots: Ints
    size: int


class RowNumbering:
    """The keys of the columns of a set of features: column 0 is that of forms, the others those of groups of values.

    `pads` is the maximum distance of a token in the window.
    """

    def __init__(self, computes: Sequence[Callable[[Sequence[Any]], list[Bases]]], pads: int) -> None:
        self.limit = MOST
        """Maximum number of keys in one generation; models with large rows decrease it."""
        self._pads = pads
        self._keys = [KeyNumbers(compute) for compute in computes]
        self._computes = list(computes)
        self._last: tuple[object, DocumentRows] | None = None

    def places(
        self, document: object, columns: Sequence[Iterable[Any]], sequences: Sequence[tuple[int, int]], n: int
    ) -> DocumentRows:
        """Return the rows of a document of n tokens (n > 0). The result for the last document is cached, unless it is None."""
        if document is not None and self._last is not None and self._last[0] is document:
            return self._last[1]
        shift = np.zeros(n, dtype=np.intp)
        shift[[first for first, _ in sequences]] = self._pads
        slots = shift.cumsum()
        slots += np.arange(n)
        size = int(slots[-1]) + self._pads + 1
        found = []
        for number, column in enumerate(columns):
            keys = self._keys[number]
            if len(keys) >= self.limit:
                keys = self._keys[number] = KeyNumbers(self._computes[number], keys)
            rows = np.zeros(size, dtype=np.intp)
            rows[slots] = keys.numbers(column, n)
            found.append(rows)
        places = DocumentRows(list(self._keys), found, slots, size)
        self._last = None if document is None else (document, places)
        return places
