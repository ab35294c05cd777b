"""The indexes of the attributes of tokens, made once for each form and for each combination of other values."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import Any

import numpy as np

from ...typesystem import FormTable
from ..sequence.extraction import OUT_AFTER, OUT_BEFORE, BoundedCache, DocumentFeatures, FeatureSet, bases_of

Cells = list[bytes]
"""For each offset of the window, the indexes of attributes as the bytes of 64-bit integers."""


class AttributeRows:
    """The attributes of tokens as indexes: `index` maps names to numbers; attributes that it does not have are left out."""

    def __init__(self, features: FeatureSet, index: Mapping[str, int]) -> None:
        self._offsets = list(features.offsets)
        self._numbers = _by_base(features, index)
        self._features = features
        self._forms: FormTable[Cells] = FormTable(lambda form: self._cells(features.bases(form)))
        self._groups: list[dict[Any, Cells]] = []
        self._before, self._after = (
            [_bytes([number] if (number := index.get(f"{d}:{name}")) is not None else []) for d in self._offsets]
            for name in (OUT_BEFORE, OUT_AFTER)
        )

    def rows(self, columns: DocumentFeatures) -> list[bytes]:
        """Return the indexes of the binary attributes of every token, as the bytes of 64-bit integers."""
        self._forms.fill(columns.forms, self._cells_of_forms)
        cells = list(map(self._forms.__getitem__, columns.forms))
        values = [list(map(table.__getitem__, group.by_token())) for table, group in self._of_groups(columns)]
        by_offset: list[Cells] = []
        for k in range(len(self._offsets)):
            column = [cell[k] for cell in cells]
            for value in values:
                column = list(map(add, column, [cell[k] for cell in value]))
            by_offset.append(column)
        if self._offsets == [0]:
            return by_offset[0]
        return [b"".join(self._window(by_offset, first, last, i)) for (first, last), i in columns.places()]

    def _window(self, by_offset: list[Cells], first: int, last: int, i: int) -> Iterable[bytes]:
        """Yield the indexes of each offset for token i of the sequence from `first` to `last`."""
        for k, d in enumerate(self._offsets):
            j = i + d
            yield by_offset[k][j] if first <= j < last else self._before[k] if j < first else self._after[k]

    def _of_groups(self, columns: DocumentFeatures) -> Iterable[Any]:
        """Return the tables of the groups of values, and the groups."""
        if not self._groups:
            for group in columns.groups:
                self._groups.append(BoundedCache(self._cells_of_group(bases_of(group.labels))))
        return zip(self._groups, columns.groups, strict=True)

    def _cells_of_forms(self, forms: list[str]) -> list[Cells]:
        return [self._cells(bases) for bases in self._features.bases_of(forms)]

    def _cells_of_group(self, bases: Callable[[Any], tuple[str, ...]]) -> Callable[[Any], Cells]:
        return lambda key: self._cells(bases(key))

    def _cells(self, bases: Sequence[str]) -> Cells:
        return [_bytes([known[base] for base in bases if base in known]) for known in self._numbers]


def _by_base(features: FeatureSet, index: Mapping[str, int]) -> list[dict[str, int]]:
    """Return the numbers of attributes by base (`lower=dr.`) for each offset. A feature has none outside of its window."""
    windows = {f.label: features.window_of(f) for f in features.features}
    numbers: dict[int, dict[str, int]] = {d: {} for d in features.offsets}
    known = {f"{d}": d for d in features.offsets}
    for name, number in index.items():
        offset, _, base = name.partition(":")
        d, window = known.get(offset), windows.get(base.partition("=")[0])
        if d is not None and window is not None and d in window:
            numbers[d][base] = number
    return list(numbers.values())


def _bytes(numbers: list[int]) -> bytes:
    return array("q", numbers).tobytes()


def padded(rows: Sequence[bytes]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return rows of indexes as an array, padded with 0: (rows, length of the longest, but at least 1)."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows)) // 8
    indexes = np.zeros((len(rows), max(1, int(lengths.max(initial=0)))), dtype=np.int64)
    indexes[np.arange(indexes.shape[1]) < lengths[:, None]] = np.frombuffer(b"".join(rows), np.int64)
    return indexes
