"""Character-level networks, which compute a vector for each form."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .lstm import BiLstm
from .packing import Ints, pack
from .weights import Floats32, Weights


class CharacterLstm:
    """A bidirectional LSTM over the characters of a form. What a character adds to the gates is computed once."""

    def __init__(self, weights: Weights, characters: int, dim: int, width: int) -> None:
        self._lstm = BiLstm(weights.under("lstm"), dim, width, alone=True)
        self._projected = self._lstm.project(weights.under("vectors").take("weight", characters, dim))
        self.size = self._lstm.size

    def __call__(self, spellings: Sequence[Ints]) -> Floats32:
        """Return the vectors of forms, given the indexes of their characters: (forms, 2 width)."""
        ends = np.cumsum([0, *map(len, spellings)]).tolist()
        return self._lstm.last(self._projected, np.concatenate(spellings), pack(list(pairwise(ends))))


class CharacterCnn:
    """Convolutions over the characters of a form. What a character adds at each place of a filter is computed once."""

    def __init__(self, weights: Weights, characters: int, dim: int, filters: int, widths: Sequence[int]) -> None:
        vectors = weights.under("vectors").take("weight", characters, dim)
        vectors[0] = 0.0  # places outside of a form
        self._tables: list[Floats32] = []
        self._biases: list[Floats32] = []
        for i, width in enumerate(widths):
            own = weights.under(f"convolutions.{i}")
            self._tables.append(np.matmul(vectors, own.take("weight", filters, dim, width).transpose(2, 1, 0)))
            self._biases.append(own.take("bias", filters))
        self._margin = max(widths) // 2
        self.size = filters * len(widths)

    def __call__(self, spellings: Sequence[Ints]) -> Floats32:
        """Return the vectors of forms, given the indexes of their characters: (forms, filters x widths)."""
        longest, margin = max(map(len, spellings)), self._margin
        padded = np.zeros((len(spellings), longest + 2 * margin), dtype=np.intp)
        for row, spelling in zip(padded, spellings, strict=True):
            row[margin : margin + len(spelling)] = spelling
        outside = padded[:, margin : margin + longest] == 0
        outputs = []
        for tables, bias in zip(self._tables, self._biases, strict=True):
            first = margin - len(tables) // 2
            summed = bias + tables[0][padded[:, first : first + longest]]
            for k in range(1, len(tables)):
                summed += tables[k][padded[:, first + k : first + k + longest]]
            summed[outside] = 0.0
            outputs.append(np.maximum(summed.max(axis=1), 0.0))
        return np.concatenate(outputs, axis=1)
