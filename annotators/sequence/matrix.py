"""Documents as one sparse matrix of attributes, for training without sequences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .extraction import OUT_AFTER, OUT_BEFORE, Columns, FeatureSet

Ints = npt.NDArray[np.int64]

TOGETHER = 20_000
"""Tokens whose rows are made in one go."""


def design_matrix(features: FeatureSet, documents: Sequence[Columns], min_count: int = 1) -> tuple[Any, list[str]]:
    """Return all tokens of all documents as rows, attributes as columns; the names of the columns.

    A `scipy.sparse.csr_matrix` of doubles. Attributes that occur fewer than `min_count` times are left out. Numbers of
    attributes are looked up once for each form and distance, not once for each token.
    """
    from scipy.sparse import csr_matrix, hstack, vstack

    build = _Build(features)
    parts: list[Any] = []
    some: list[Columns] = []
    for columns in documents:
        some.append(columns)
        if sum(len(c.forms) for c in some) >= TOGETHER:
            parts.append(build.rows(some))
            some = []
    parts.append(build.rows(some))
    for part in parts:
        part.resize(part.shape[0], len(build.numbers))
    matrix, names = csr_matrix(vstack(parts, format="csr")), list(build.numbers)
    if features.of_value:
        numbers = np.concatenate([build.dense(c) for c in documents] or [np.zeros((0, len(build.dense_names)))])
        matrix, names = csr_matrix(hstack([matrix, csr_matrix(numbers)], format="csr")), names + build.dense_names
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    kept = np.flatnonzero(counts >= max(min_count, 1))
    if len(kept) < len(names):
        matrix, names = csr_matrix(matrix[:, kept]), [names[i] for i in kept]
    matrix.sort_indices()
    return matrix, names


class _Build:
    """The matrix in the making."""

    def __init__(self, features: FeatureSet) -> None:
        self.features = features
        self.numbers: dict[str, int] = {}
        self._windows = {f.label: features.window_of(f) for f in features.features}
        self._offsets = list(features.offsets)
        self._pads = max(-self._offsets[0], self._offsets[-1])
        outside = [[f"{d}:{OUT_BEFORE if d < 0 else OUT_AFTER}"] if d else [] for d in self._offsets]
        self._tables: dict[int, _Table] = {0: _Table([self._number(names) for names in outside])}
        self.dense_names = [f"{d}:{f.label}" for f in features.of_value for d in features.window_of(f)]

    def _number(self, names: Sequence[str]) -> list[int]:
        numbers = self.numbers
        return [numbers.setdefault(name, len(numbers)) for name in names]

    def _spread(self, bases: tuple[str, ...]) -> list[list[int]]:
        """Return numbers of the attributes of some bases, a list for each distance."""
        windows = self._windows
        return [self._number([f"{d}:{b}" for b in bases if d in windows[b.partition("=")[0]]]) for d in self._offsets]

    def _table(self, number: int) -> _Table:
        """Table 0 is that of forms, further ones those of the columns of values."""
        if number not in self._tables:
            self._tables[number] = _Table([[] for _ in self._offsets])
        return self._tables[number]

    def rows(self, documents: Sequence[Columns]) -> Any:
        """Return the tokens of some documents as rows of a sparse matrix."""
        from scipy.sparse import csr_matrix

        tokens = sum(len(c.forms) for c in documents)
        slots, size = self._slots(documents)
        found: list[Any] = [np.zeros(0, np.int32)]
        owners: list[Any] = [np.zeros(0, np.int32)]
        for number in range(max((len(c.values) for c in documents), default=0) + 1):
            table = self._table(number)
            keys: list[Hashable] = [key for c in documents for key in (c.values[number - 1] if number else c.forms)]
            for key in dict.fromkeys(keys):
                if key not in table.ids:
                    bases = self.features.bases(str(key)) if number == 0 else key
                    table.add(key, self._spread(bases))  # type: ignore[arg-type]
            places = np.zeros(size, dtype=np.int64)  # 0 is a place outside
            places[slots] = list(map(table.ids.__getitem__, keys))
            for k, d in enumerate(self._offsets):
                columns, lengths = table.gather(k, places[slots + d])
                found.append(columns)
                owners.append(np.repeat(np.arange(tokens, dtype=np.int32), lengths))
        columns, rows = np.concatenate(found), np.concatenate(owners)
        made = csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(tokens, len(self.numbers)))
        made.sum_duplicates()
        return made

    def _slots(self, documents: Sequence[Columns]) -> tuple[Ints, int]:
        """Return the slot of each token, with padding for the window on both sides of every sequence, and the number of slots."""
        tokens = sum(len(c.forms) for c in documents)
        shift, at = np.zeros(tokens, dtype=np.int64), 0
        for columns in documents:
            for first, _ in columns.sequences:
                shift[at + first] = self._pads
            at += len(columns.forms)
        slots = np.arange(tokens) + np.cumsum(shift)
        return slots, int(slots[-1]) + self._pads + 1 if tokens else 0

    def dense(self, columns: Columns) -> Any:
        """Return values of the features that are numbers, for each distance: shape (tokens, `dense_names`)."""
        made = np.zeros((len(columns.forms), len(self.dense_names)))
        at = 0
        for row, feature in enumerate(self.features.of_value):
            for d in self.features.window_of(feature):
                for first, last in columns.sequences:
                    a, b = max(first, first - d), min(last, last - d)
                    if a < b:
                        made[a:b, at] = columns.numbers[row, a + d : b + d]
                at += 1
        return made


class _Table:
    """Numbers of attributes by key and distance, one after the other; key 0 is a place outside."""

    def __init__(self, outside: list[list[int]]) -> None:
        self.ids: dict[Hashable, int] = {}
        self._flat: list[list[int]] = [list(numbers) for numbers in outside]
        self._ends: list[list[int]] = [[0, len(numbers)] for numbers in outside]

    def add(self, key: Hashable, spread: list[list[int]]) -> None:
        self.ids[key] = len(self.ids) + 1
        for flat, ends, numbers in zip(self._flat, self._ends, spread, strict=True):
            flat += numbers
            ends.append(len(flat))

    def gather(self, k: int, ids: Ints) -> tuple[Any, Ints]:
        """Return numbers of all ids, one after the other, and how many each has."""
        flat, ends = np.array(self._flat[k], dtype=np.int32), np.array(self._ends[k], dtype=np.int64)
        starts, lengths = ends[ids], ends[ids + 1] - ends[ids]
        done = np.cumsum(lengths)
        return flat[np.arange(done[-1] if len(done) else 0) + np.repeat(starts - done + lengths, lengths)], lengths
