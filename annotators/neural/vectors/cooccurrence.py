"""How often words stand near one another: counted in blocks, in whole numbers, so that order and blocks change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .token_stream import BREAK, Ints32

MOST_PAIRS = 30_000_000
"""Different pairs kept at a time (16 bytes each); beyond that the rarest go."""


def count_pairs(blocks: Iterable[Ints32], words: int, window: int, most: int = MOST_PAIRS) -> tuple[Any, int]:
    """A symmetric sparse matrix (scipy CSR, words x words, whole numbers) of weighted pairs, and the weight that was dropped.

    Words at distance d count window + 1 - d, as word2vec's shrinking windows do on average (Levy, Goldberg and Dagan 2015,
    TACL 3, section 3.1). Tokens without a vector keep their place. When more than `most` pairs are there, those with the
    smallest weights are dropped.
    """
    counter = _Counter(words, most)
    for first, second, weights in _pairs(blocks, window):
        counter.add(first, second, weights)
    upper = counter.total()
    return (upper + upper.T).tocsr(), counter.dropped


def _pairs(blocks: Iterable[Ints32], window: int) -> Iterator[tuple[Ints32, Ints32, npt.NDArray[np.int64]]]:
    """For each block: the smaller and the greater word of every pair, and its weight."""
    carried = np.zeros(0, dtype=np.int32)
    for block in blocks:
        numbers = np.concatenate((carried, block))
        segments = np.cumsum(numbers == BREAK)
        first: list[Ints32] = []
        second: list[Ints32] = []
        weights = []
        for distance in range(1, min(window, len(numbers) - 1) + 1):
            start = max(len(carried) - distance, 0)  # pairs that end in this block
            a, b = numbers[start:-distance], numbers[start + distance :]
            good = (a >= 0) & (b >= 0) & (segments[start:-distance] == segments[start + distance :])
            a, b = a[good], b[good]
            first.append(np.minimum(a, b))
            second.append(np.maximum(a, b))
            weights.append(np.full(len(a), window + 1 - distance, dtype=np.int64))
        carried = numbers[-window:]
        if first:
            yield np.concatenate(first), np.concatenate(second), np.concatenate(weights)


class _Counter:
    """Sums of pairs. Parts of similar size are added up, so that each pair is moved seldom."""

    def __init__(self, words: int, most: int) -> None:
        self.shape = (words, words)
        self.most = most
        self.dropped = 0
        self._parts: list[Any] = []

    def add(self, first: Ints32, second: Ints32, weights: npt.NDArray[np.int64]) -> None:
        from scipy.sparse import csr_matrix

        self._parts.append(csr_matrix((weights, (first, second)), shape=self.shape))
        while len(self._parts) > 1 and self._parts[-2].nnz < 2 * self._parts[-1].nnz:
            self._join()

    def total(self) -> Any:
        from scipy.sparse import csr_matrix

        while len(self._parts) > 1:
            self._join()
        return self._parts[0] if self._parts else csr_matrix(self.shape, dtype=np.int64)

    def _join(self) -> None:
        last = self._parts.pop()
        self._parts[-1] = self._slim(self._parts[-1] + last)

    def _slim(self, part: Any) -> Any:
        if part.nnz <= self.most:
            return part
        limit = int(np.partition(part.data, part.nnz - self.most // 2)[part.nnz - self.most // 2])
        rare = part.data <= limit
        if rare.all():  # no weight is greater: keep them, there is no telling them apart
            return part
        self.dropped += int(part.data[rare].sum())
        part.data[rare] = 0
        part.eliminate_zeros()
        return part
