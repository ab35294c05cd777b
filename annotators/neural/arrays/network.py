"""The complete network, which scores the labels of the tokens of a document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, repeat

import numpy as np

from ..attribute_rows import padded
from ..inputs import IndexedDocument, Span
from ..plan import Plan
from .packing import pack
from .row_cache import RowCache
from .weights import Floats32, Weights

Key = tuple[int, bytes, bytes, bytes]
"""Word, spelling, attributes and numbers of a token."""
TOGETHER = 4_096
"""Number of tokens that are scored together, so that the memory for a long document is bounded."""


class ArrayNetwork:
    """Concatenated token vectors, a context encoder, and a linear layer that scores labels.

    Raises ValueError for weights that do not fit the plan.
    """

    def __init__(self, plan: Plan, weights: Weights) -> None:
        sizes, size = plan.sizes, 0
        self._words = self._forms = self._attributes = None
        if plan.tokens is not None:
            self._words = weights.under("words").take("weight", sizes["words"], sizes["dim"])
            size += sizes["dim"]
        if plan.characters is not None:
            characters = plan.characters.in_arrays(weights.under("characters"), sizes["characters"])
            self._forms = RowCache(characters.size, lambda keys: characters([np.frombuffer(k, np.int64) for k in keys]))
            size += characters.size
        if plan.attributes is not None and sizes["attributes"] + sizes["numbers"]:
            self._attributes = plan.attributes.in_arrays(
                weights.under("attributes"), sizes["attributes"], sizes["numbers"]
            )
            size += self._attributes.size
        self._encoder = plan.encoder.in_arrays(weights.under("encoder"), size)
        self._out = weights.under("out").take("weight", len(plan.labels), self._encoder.size).T.copy()
        self._bias = weights.under("out").take("bias", len(plan.labels))
        unknown = [name for name in weights.left() if not name.startswith("chain.")]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: not part of the network")

    def __call__(self, document: IndexedDocument) -> Floats32:
        """Return the label scores of all tokens: (tokens, labels)."""
        scores = np.zeros((len(document), len(self._bias)), dtype=np.float32)
        for some in _portions(document.sequences):
            first, last = some[0][0], some[-1][1]
            scores[first:last] = self._score(document, first, last, [(a - first, b - first) for a, b in some])
        return scores

    def _score(self, document: IndexedDocument, first: int, last: int, sequences: list[Span]) -> Floats32:
        part = slice(first, last)
        numbers = [row.tobytes() for row in document.numbers[part]] if document.numbers.shape[1] else repeat(b"")
        keys = list(zip(document.words[part].tolist(), document.spellings[part], document.attributes[part], numbers))  # noqa: B905  (endless)
        distinct: dict[Key, int] = dict(zip(dict.fromkeys(keys), count()))
        rows = np.fromiter(map(distinct.__getitem__, keys), np.intp, len(keys))
        prepared = self._encoder.prepare(self._vectors(list(distinct)))
        scores: Floats32 = self._encoder(prepared, rows, pack(sequences)) @ self._out
        scores += self._bias
        return scores

    def _vectors(self, keys: Sequence[Key]) -> Floats32:
        """Return the vectors of tokens: (tokens, length)."""
        words, spellings, attributes, numbers = zip(*keys, strict=True)
        parts = []
        if self._words is not None:
            parts.append(self._words[list(words)])
        if self._forms is not None:
            found = self._forms.numbers(spellings)
            parts.append(self._forms.rows[found])
        if self._attributes is not None:
            values = np.frombuffer(b"".join(numbers), dtype=np.float32).reshape(len(keys), -1)
            parts.append(self._attributes(padded(attributes), values))
        return np.concatenate(parts, axis=1)


def _portions(sequences: list[Span]) -> list[list[Span]]:
    """Return consecutive sequences in groups of at most `TOGETHER` tokens, or of a single longer sequence."""
    portions: list[list[Span]] = []
    for sequence in sequences:
        if portions and sequence[1] - portions[-1][0][0] <= TOGETHER:
            portions[-1].append(sequence)
        else:
            portions.append([sequence])
    return portions
