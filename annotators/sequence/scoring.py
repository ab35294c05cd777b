"""Scores of labels by table lookup: the same numbers as a sparse dot product, ten times faster.

The score of a label at token i is a sum over attributes of the tokens in the window. The attributes of the form of token i+d
contribute the same vector at every occurrence of that form at offset d. The vectors of a form for all offsets are therefore
computed once and cached; the scores of a document are one gather and one sum for each offset (docs/decisions/006). The result
is exact: only the order of additions differs from that of CRFsuite and LIBLINEAR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, repeat

import numpy as np

from .extraction import OUT_AFTER, OUT_BEFORE, Block, DocumentFeatures, FeatureSet, Floats
from .numbering import KeyNumbers
from .weights import Blocks, Weights

TABLE_BYTES = 8 << 20
"""Maximum memory of the table of one column; rows that were not used recently are then deleted."""
FEWEST = 2_000
"""Minimum number of rows in each half of a table, independent of their memory."""
SPARE = 128
"""Additional rows for the keys of the document that fills a table, which is enlarged for longer documents."""
TOGETHER = 1_000
"""Number of new keys whose rows are computed in one batch."""


class LabelScorer:
    """Scores of all labels for all tokens of a document.

    `features` must be those of the training. Scorers with the same FeatureSet object share the row numbers of a document.
    """

    def __init__(self, features: FeatureSet, weights: Weights) -> None:
        self.features = features
        self.labels = weights.labels
        self._weights = weights
        self._offsets = list(features.offsets)
        self._pads = max(-self._offsets[0], self._offsets[-1])
        self._tables: dict[int, _Table] = {}
        row = 8 * len(self._offsets) * len(self.labels)
        numbering = features.numbering
        numbering.limit = min(numbering.limit, max(FEWEST, TABLE_BYTES // (2 * row)))

    @cached_property
    def _blocks(self) -> Blocks:
        return self._weights.blocks(self._offsets)

    @cached_property
    def _edge(self) -> Floats:
        """Scores of a position outside of the text at each offset: shape (offsets, labels)."""
        row = self._row((OUT_BEFORE,)).copy()
        after = self._row((OUT_AFTER,))
        for k, d in enumerate(self._offsets):
            if d >= 0:
                row[k] = after[k]
        return row

    @cached_property
    def _reached(self) -> list[list[tuple[int, int]]]:
        """For each table, the offsets (with their indexes) in the window of one of its features; other rows are zeros."""
        numbered, windows = list(enumerate(self._offsets)), self.features.group_windows
        of_groups = [[(k, d) for k, d in numbered if any(d in window for window in some)] for some in windows]
        return [numbered, *of_groups]

    @cached_property
    def _number_weights(self) -> Floats:
        """Weights of the features that are numbers: shape (offsets, value features, labels)."""
        weights = np.zeros((len(self._offsets), len(self.features.of_value), len(self.labels)))
        for i, feature in enumerate(self.features.of_value):
            weights[:, i] = self._row((feature.label,))
        return weights

    def _row(self, bases: tuple[str, ...]) -> Floats:
        """Return the summed weights of bases for each offset and label: shape (offsets, labels)."""
        return self._rows([bases])[0]  # type: ignore[no-any-return]

    def _rows(self, several: Sequence[tuple[str, ...]]) -> Floats:
        """Return the summed weights of several tuples of bases: shape (tuples, offsets, labels)."""
        blocks, size = self._blocks, len(self._offsets) * len(self.labels)
        numbers = np.fromiter(map(blocks.numbers.get, chain.from_iterable(several), repeat(0)), np.intp)
        owners = np.repeat(np.arange(len(several)), list(map(len, several)))
        starts = blocks.limits[numbers]
        lengths = blocks.limits[numbers + 1] - starts
        done = lengths.cumsum()
        at = np.arange(done[-1] if len(done) else 0) + np.repeat(starts - done + lengths, lengths)
        places = blocks.places[at] + np.repeat(owners * size, lengths)
        rows = np.bincount(places, blocks.values[at], len(several) * size).astype(np.float64, copy=False)
        return rows.reshape(len(several), len(self._offsets), len(self.labels))

    def _table(self, number: int, keys: KeyNumbers) -> _Table:
        """Return a table with a row for each of the keys. Table 0 is that of forms, the others those of groups of values."""
        table = self._tables.get(number)
        if table is None or table.keys is not keys:
            edge = self._edge if number == 0 else np.zeros((len(self._offsets), len(self.labels)))
            table = self._tables[number] = _Table(keys, edge, table, self.features.numbering.limit + SPARE)
        table.fill(self._rows)
        return table

    def scores(self, columns: DocumentFeatures, block: Block | None = None) -> Floats:
        """Return scores of shape (tokens, labels): of all tokens, or of those of a block of whole sentences."""
        if not columns.forms:
            return np.zeros((0, len(self.labels)))
        places, first, last = self.features.places_of(columns, block)
        slots, within = places.slots, places.size - 2 * self._pads
        scores = np.zeros((within, len(self.labels)))
        contribution = np.empty_like(scores)
        for number, (keys, rows) in enumerate(zip(places.keys, places.rows, strict=True)):
            matrix = self._table(number, keys).matrix
            for k, d in self._reached[number]:
                begin = self._pads + d  # the window's offset is a slice: its ends are ignored
                matrix[k].take(
                    rows[begin : begin + within], axis=0, out=contribution, mode="clip"
                )  # "raise" would copy once more
                scores += contribution
        scores = scores.take(slots - self._pads, axis=0)
        if len(columns.numbers):
            padded = np.zeros((places.size, len(columns.numbers)))
            padded[slots] = columns.numbers[:, first:last].T
            for k, d in enumerate(self._offsets):
                weights = self._number_weights[k]
                if weights.any():
                    scores += padded[slots + d] @ weights
        return scores if block is None else scores[block.first - first : block.last - first]


class _Table:
    """Rows of summed weights by key number, in a matrix of shape (offsets, rows, labels). Row 0 is for positions outside.

    Rows of the previous table, for the previous generation of keys, are copied. A table reuses the memory of the table before
    the previous one, so that there are at most two matrices.
    """

    def __init__(self, keys: KeyNumbers, edge: Floats, before: _Table | None, room: int) -> None:
        self.keys = keys
        self.used: int = 1
        self.matrix: Floats
        self._before: Floats | None = None
        spare: Floats | None = None
        if before is not None and keys.before is before.keys:
            spare, before._before = before._before, None
            self._before = before.matrix
            self._copied = before.used
        offsets, labels = edge.shape
        self.matrix = np.zeros((offsets, room, labels)) if spare is None else spare
        self.matrix[:, 0] = edge

    def fill(self, compute: Callable[[Sequence[tuple[str, ...]]], Floats]) -> None:
        """Add the rows of keys without a row. `compute` returns the rows of tuples of bases."""
        while self.used <= len(self.keys):
            some = self.keys.order[self.used - 1 : self.used - 1 + TOGETHER]
            rows, new = self._room(len(some)), list(range(len(some)))
            if self._before is not None and self.keys.before is not None:
                old = [self.keys.before.get(key, 0) for key in some]
                old = [number if number < self._copied else 0 for number in old]
                rows[:] = self._before[:, old]
                new = [i for i, number in enumerate(old) if not number]
            if new:
                rows[:, new] = compute(self.keys.bases([some[i] for i in new])).transpose(1, 0, 2)

    def _room(self, count: int) -> Floats:
        """Return the next rows of the matrix, which is enlarged if needed."""
        first, last = self.used, self.used + count
        offsets, room, labels = self.matrix.shape
        if last > room:
            grown = np.zeros((offsets, max(last, room * 3 // 2), labels))
            grown[:, :first] = self.matrix[:, :first]
            self.matrix = grown
        self.used = last
        return self.matrix[:, first:last]
