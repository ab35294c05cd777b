"""Scores of labels by table look-up: the same numbers as a sparse dot product, an order of magnitude sooner.

The score of a label at token i is a sum over attributes of the tokens around. Whatever depends on the form of token i+d alone
contributes the same vector wherever that form stands at distance d. So the vectors of a form for all distances are computed
once and kept; a document's scores are then one gather and one sum for each distance (docs/decisions/006). Nothing is
approximated: only the order of the additions differs from that of CRFsuite and LIBLINEAR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .extraction import OUT_AFTER, OUT_BEFORE, Columns, FeatureSet, Floats
from .weights import Blocks, Weights

TABLE_BYTES = 48 << 20
"""Memory that the table of one column may take before it is emptied."""
TOGETHER = 1_000
"""New keys whose rows are computed in one go."""


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
    def _blocks(self) -> Blocks:
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
        return self._rows([bases])[0]  # type: ignore[no-any-return]

    def _rows(self, several: Sequence[tuple[str, ...]]) -> Floats:
        """Summed weights of several tuples of bases: shape (tuples, offsets, labels)."""
        blocks = self._blocks
        known = blocks.spans.get
        found = [(i, *span) for i, bases in enumerate(several) for b in bases if (span := known(b)) is not None]
        size = len(self._offsets) * len(self.labels)
        rows: Floats = np.zeros(len(several) * size)
        if found:
            owners, starts, ends = np.array(found).T
            lengths = ends - starts
            done = np.cumsum(lengths)
            at = np.arange(done[-1]) + np.repeat(starts - done + lengths, lengths)
            places = blocks.places[at] + np.repeat(owners * size, lengths)
            rows = np.bincount(places, blocks.values[at], len(rows)).astype(np.float64, copy=False)
        return rows.reshape(len(several), len(self._offsets), len(self.labels))

    def _table(self, number: int) -> _Table:
        """Table 0 is that of forms, further ones those of the columns of values."""
        if number not in self._groups:
            bases = self.features.bases
            compute: Callable[[list[Any]], Floats] = (
                (lambda forms: self._rows(list(map(bases, forms)))) if number == 0 else self._rows
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
        seen = np.empty_like(scores)
        for k, d in enumerate(self._offsets):
            table.matrix[k].take(rows[slots + d], axis=0, out=seen, mode="clip")  # "raise" would copy once more
            scores += seen


class _Table(dict[Any, int]):
    """Rows of summed weights by key, in a matrix of shape (offsets, rows, labels) that grows up to a limit."""

    def __init__(self, compute: Callable[[list[Any]], Floats], offsets: int, labels: int, edge: Floats | None) -> None:
        super().__init__()
        self.compute = compute
        self.limit = max(2_000, TABLE_BYTES // (8 * offsets * labels))
        self.matrix = np.zeros((offsets, min(1_024, self.limit), labels))
        if edge is not None:
            self.matrix[:, 0] = edge
        self.used = 1

    def rows(self, keys: list[Any]) -> list[int]:
        """The row of each key."""
        distinct = dict.fromkeys(keys)
        new = [key for key in distinct if key not in self]
        if self.used + len(new) > self.limit and len(self):
            self.clear()
            self.used, new = 1, list(distinct)
        for i in range(0, len(new), TOGETHER):
            self._fill(new[i : i + TOGETHER])
        return list(map(self.__getitem__, keys))

    def _fill(self, keys: list[Any]) -> None:
        """Computes the rows of keys that are not there yet."""
        first, last = self.used, self.used + len(keys)
        offsets, room, labels = self.matrix.shape
        if last > room:
            grown = np.zeros((offsets, max(last, room * 2), labels))
            grown[:, :first] = self.matrix[:, :first]
            self.matrix = grown
        self.matrix[:, first:last] = self.compute(keys).transpose(1, 0, 2)
        self.update(zip(keys, range(first, last), strict=True))
        self.used = last
