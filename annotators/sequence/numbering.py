"""Numbers for forms and combinations of values: every model that looks at the same features looks up the same rows.

Two models with one set of features (a CRF and an SVM side by side) then share all of a document but their own weights: one
dictionary look-up for each token instead of one for each token and model.
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
"""KeyNumbers of one generation, if no model asks for fewer."""


class KeyNumbers(dict[Any, int]):
    """The number of every key that came up, from 1 on; 0 is a place outside. A number never changes.

    Full ones are not emptied but followed by others (`before` are those that went before), so that numbers in use stay right.
    """

    __slots__ = ("_compute", "_fresh", "before", "order")

    def __init__(self, compute: Callable[[Any], Bases], before: KeyNumbers | None = None) -> None:
        super().__init__()
        self._compute = compute
        self._fresh: dict[Any, Bases] = {}
        self.order: list[Any] = []
        """The keys by number, from number 1 on."""
        self.before = before
        if before is not None:
            before.before = None  # one generation back is enough

    def __missing__(self, key: Any) -> int:
        self.order.append(key)
        number = self[key] = len(self.order)
        return number

    def numbers(self, keys: Iterable[Any], count: int) -> Ints:
        """Return the numbers of some keys."""
        known = len(self.order)
        found = np.fromiter(map(self.__getitem__, keys), np.intp, count)
        if len(self.order) > known:
            self._fresh.clear()
        return found

    def bases(self, keys: Sequence[Any]) -> list[Bases]:
        """Return the bases of keys. Cached for the newest ones, which every model asks for in turn."""
        fresh = self._fresh
        for key in keys:
            if key not in fresh:
                fresh[key] = self._compute(key)
        return [fresh[key] for key in keys]


@dataclass(slots=True)
class DocumentRows:
    """The tokens of a document as row numbers, with room for the window on both sides of every sequence.

    `rows` are the numbers of the keys of one column, 0 outside, one array of `size` for each column; `slots[i]` is the
    position of token i in them.
    """

    keys: list[KeyNumbers]
    rows: list[Ints]
    slots: Ints
    size: int


class RowNumbering:
    """The keys of every column of a set of features: column 0 is that of forms, further ones those of groups of values.

    `pads` is how far the window reaches.
    """

    def __init__(self, computes: Sequence[Callable[[Any], Bases]], pads: int) -> None:
        self.limit = MOST
        """KeyNumbers of one generation: a model with large rows sets it lower."""
        self._pads = pads
        self._keys = [KeyNumbers(compute) for compute in computes]
        self._computes = list(computes)
        self._last: tuple[object, DocumentRows] | None = None

    def places(
        self, document: object, columns: Sequence[Iterable[Any]], sequences: Sequence[tuple[int, int]], n: int
    ) -> DocumentRows:
        """The rows of a document of n tokens (n > 0). Asked again for the same object right after, it is not worked out again."""
        if self._last is not None and self._last[0] is document:
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
        self._last = (document, places)
        return places
