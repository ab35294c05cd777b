"""Documents as one sparse matrix of attributes, for training without sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...typesystem import FormTable
from .extraction import OUT_AFTER, OUT_BEFORE, Columns, FeatureSet, Memo


def design_matrix(features: FeatureSet, documents: Sequence[Columns], min_count: int = 1) -> tuple[Any, list[str]]:
    """All tokens of all documents as rows, attributes as columns; the names of the columns.

    A `scipy.sparse.csr_matrix` of doubles. Attributes that occur fewer than `min_count` times are left out. Numbers of
    attributes are looked up once for each form and distance, not once for each token.
    """
    from scipy.sparse import csr_matrix

    build = _Build(features)
    for columns in documents:
        build.add(columns)
    matrix = csr_matrix(
        (np.ones(build.length), np.concatenate(build.indices or [np.zeros(0, np.int64)]), build.pointers()),
        shape=(build.rows, len(build.numbers)),
    )
    names = list(build.numbers)
    if build.dense:
        from scipy.sparse import hstack

        extra = csr_matrix(np.concatenate(build.dense))
        matrix = csr_matrix(hstack([matrix, extra], format="csr"))
        names += build.dense_names
    matrix.sum_duplicates()
    if min_count > 1:
        kept = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= min_count)
        matrix, names = matrix[:, kept], [names[i] for i in kept]
    return csr_matrix(matrix), names


class _Build:
    """The matrix in the making."""

    def __init__(self, features: FeatureSet) -> None:
        self.features = features
        self.numbers: dict[str, int] = {}
        self.indices: list[Any] = []
        self.lengths: list[int] = []
        self.rows = 0
        self.length = 0
        self.dense: list[Any] = []
        self._windows = {f.label: features.window_of(f) for f in features.features}
        self._forms: FormTable[list[Any]] = FormTable(lambda form: self._spread(features.bases(form)))
        self._values: dict[Any, list[Any]] = Memo(self._spread)
        self._outside = {d: self._number([f"{d}:{OUT_BEFORE if d < 0 else OUT_AFTER}"]) for d in features.offsets if d}
        self.dense_names = [f"{d}:{f.label}" for f in features.of_value for d in features.window_of(f)]

    def _number(self, names: Sequence[str]) -> Any:
        numbers = self.numbers
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    def _spread(self, bases: tuple[str, ...]) -> list[Any]:
        """Numbers of the attributes of some bases, an array for each distance."""
        windows = self._windows
        return [
            self._number([f"{d}:{b}" for b in bases if d in windows[b.partition("=")[0]]])
            for d in self.features.offsets
        ]

    def add(self, columns: Columns) -> None:
        """Adds the tokens of a document as rows."""
        offsets = list(self.features.offsets)
        forms = [self._forms[form] for form in columns.forms]
        values = [[self._values[v] if v else None for v in column] for column in columns.values]
        for first, last in columns.sequences:
            for i in range(first, last):
                size = 0
                for k, d in enumerate(offsets):
                    j = i + d
                    if first <= j < last:
                        found = [forms[j][k], *[there[k] for c in values if (there := c[j]) is not None]]
                    else:
                        found = [self._outside[d]]
                    self.indices += found
                    size += sum(map(len, found))
                self.lengths.append(size)
                self.length += size
        self.rows += len(columns.forms)
        if self.dense_names:
            self.dense.append(self._numbers(columns))

    def _numbers(self, columns: Columns) -> Any:
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

    def pointers(self) -> Any:
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
