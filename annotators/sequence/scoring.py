"""Scores of labels by table look-up: the same numbers as a sparse dot product, an order of magnitude sooner.

The score of a label at token i is a sum over attributes of the tokens around. Whatever depends on the form of token i+d alone
contributes the same vector wherever that form stands at distance d. So the vectors of a form for all distances are computed
once and kept; a document's scores are then one gather and one sum for each distance (docs/decisions/006). Nothing is
approximated: only the order of the additions differs from that of CRFsuite and LIBLINEAR.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .extraction import OUT_AFTER, OUT_BEFORE, Columns, FeatureSet, Floats
from .weights import Weights

TABLE_BYTES = 48 << 20
"""Memory that the table of one column may take before it is emptied."""


class LabelScorer:
    """Scores of all labels for all tokens of a document.

    `features` must be those the weights were trained with.
    """

    def __init__(self, features: FeatureSet, weights: Weights) -> None:
        self.features = features
        self.labels = weights.labels
        self._weights = weights
        self._offsets = list(features.offsets)
        self._pads = max(-self._offsets[0], self._offsets[-1])
        self._groups: dict[int, _Table] = {}

    @cached_property
    def _blocks(self) -> dict[str, tuple[Any, Any]]:
        return self._weights.blocks(self._offsets)

    @cached_property
    def _edge(self) -> Floats:
        """Scores of a place outside, seen from each distance: shape (offsets, labels)."""
        row = self._row((OUT_BEFORE,)).copy()
        after = self._row((OUT_AFTER,))
        for k, d in enumerate(self._offsets):
            if d >= 0:
                row[k] = after[k]
        return row

    @cached_property
    def _number_weights(self) -> Floats:
        """Shape (offsets, value features, labels)."""
        made = np.zeros((len(self._offsets), len(self.features.of_value), len(self.labels)))
        for i, feature in enumerate(self.features.of_value):
            made[:, i] = self._row((feature.label,))
        return made

    def _row(self, bases: tuple[str, ...]) -> Floats:
        """Summed weights of bases, for each distance and label: shape (offsets, labels)."""
        blocks = self._blocks
        found = [block for b in bases if (block := blocks.get(b)) is not None]
        size = len(self._offsets) * len(self.labels)
        if not found:
            return np.zeros((len(self._offsets), len(self.labels)))
        places, values = (np.concatenate([block[part] for block in found]) for part in (0, 1))
        row: Floats = np.bincount(places, values, size).astype(np.float64, copy=False)
        return row.reshape(len(self._offsets), len(self.labels))

    def _table(self, number: int) -> _Table:
        """Table 0 is that of forms, further ones those of the columns of values."""
        if number not in self._groups:
            compute: Callable[[Any], Floats] = (
                (lambda form: self._row(self.features.bases(form))) if number == 0 else self._row
            )
            self._groups[number] = _Table(
                compute, len(self._offsets), len(self.labels), self._edge if not number else None
            )
        return self._groups[number]

    def scores(self, columns: Columns) -> Floats:
        """Scores of shape (tokens, labels)."""
        n = len(columns.forms)
        scores = np.zeros((n, len(self.labels)))
        if not n:
            return scores
        slots = self._slots(columns)
        size = int(slots[-1]) + self._pads + 1
        self._add(scores, slots, size, self._table(0), columns.forms)
        for number, column in enumerate(columns.values, 1):
            self._add(scores, slots, size, self._table(number), column)
        if len(columns.numbers):
            padded = np.zeros((size, len(columns.numbers)))
            padded[slots] = columns.numbers.T
            for k, d in enumerate(self._offsets):
                weights = self._number_weights[k]
                if weights.any():
                    scores += padded[slots + d] @ weights
        return scores

    def _slots(self, columns: Columns) -> Any:
        """Where each token stands when every sequence has room for the window on both sides."""
        slots = np.arange(len(columns.forms))
        shift = np.zeros(len(columns.forms), dtype=np.int64)
        for first, _ in columns.sequences:
            shift[first] = self._pads
        return slots + np.cumsum(shift)

    def _add(self, scores: Floats, slots: Any, size: int, table: _Table, keys: list[Any]) -> None:
        rows = np.zeros(size, dtype=np.int64)  # row 0 is that of places outside
        rows[slots] = table.rows(keys)
        for k, d in enumerate(self._offsets):
            scores += table.matrix[k].take(rows[slots + d], axis=0)


class _Table(dict[Any, int]):
    """Rows of summed weights by key, in a matrix of shape (offsets, rows, labels) that grows up to a limit."""

    def __init__(self, compute: Callable[[Any], Floats], offsets: int, labels: int, edge: Floats | None) -> None:
        super().__init__()
        self.compute = compute
        self.limit = max(2_000, TABLE_BYTES // (8 * offsets * labels))
        self.matrix = np.zeros((offsets, min(1_024, self.limit), labels))
        if edge is not None:
            self.matrix[:, 0] = edge
        self.used = 1

    def rows(self, keys: list[Any]) -> list[int]:
        """The row of each key."""
        if self.used + len(keys) > self.limit and self.used + len(set(keys) - self.keys()) > self.limit:
            self.clear()
            self.used = 1
        return list(map(self.__getitem__, keys))

    def __missing__(self, key: Any) -> int:
        row = self.used
        if row == self.matrix.shape[1]:
            grown = np.zeros((self.matrix.shape[0], row * 2, self.matrix.shape[2]))
            grown[:, :row] = self.matrix
            self.matrix = grown
        self.matrix[:, row] = self.compute(key)
        self.used += 1
        self[key] = row
        return row
