"""Items as sklearn_crfsuite takes them, feature dicts or lists of names, and their scores under the weights of a CRF.

Scores are summed in the order in which CRFsuite sums them, so they are equal to the last bit, and so are the best labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..sequence.confidence import SpanProbabilities
from ..sequence.extraction import Floats
from ..sequence.viterbi import viterbi
from ..sequence.weights import Weights

Item = Mapping[str, Any] | Sequence[str] | set[str]
Range = tuple[int, int]


def attributes(item: Item) -> Iterator[tuple[str, float]]:
    """Yield name and value of each attribute that CRFsuite makes of an item.

    `{"word": "Ann"}` and `["word:Ann"]` are the attribute `word:Ann` with the value 1, `{"length": 3}` is `length` with the value
    3, and `{"next": {...}}` puts `next:` before the names of the inner item.
    """
    for name, value in _expanded(item):
        yield name.partition("\0")[0], value  # CRFsuite stores names up to the first NUL


def _expanded(item: Item) -> Iterator[tuple[str, float]]:
    if not isinstance(item, Mapping):
        yield from ((_text(name), 1.0) for name in item)
        return
    for name, value in item.items():
        if isinstance(value, dict | list | set):
            for inner, number in _expanded(value):
                yield f"{_text(name)}:{inner}", number
        elif isinstance(value, str | bytes):
            yield f"{_text(name)}:{_text(value)}", 1.0
        else:
            yield _text(name), float(value)


def _text(name: str | bytes) -> str:
    return name.decode("utf-8") if isinstance(name, bytes) else name


class ItemScorer:
    """Scores, best labels and probabilities of labels for items, under the weights of a linear-chain CRF."""

    def __init__(self, weights: Weights) -> None:
        self.labels = weights.labels
        shape = len(weights.attributes), len(weights.labels)
        self._places = {name: i for i, name in enumerate(weights.attributes)}
        self._weights = csr_matrix((weights.values, (weights.rows, weights.columns)), shape=shape)
        size = len(self.labels)
        self._transitions = np.zeros((size, size)) if weights.transitions is None else weights.transitions

    def scores(self, sequences: Iterable[Sequence[Item]]) -> tuple[Floats, list[Range]]:
        """Return the scores of all labels for all items, of shape (items, labels), and the range of each sequence."""
        places: list[int] = []
        values: list[float] = []
        ends, ranges = [0], []
        for sequence in sequences:
            first = len(ends) - 1
            for item in sequence:
                for name, value in attributes(item):
                    place = self._places.get(name)
                    if place is not None:
                        places.append(place)
                        values.append(value)
                ends.append(len(places))
            ranges.append((first, len(ends) - 1))
        shape = len(ends) - 1, len(self._places)
        found: Floats = (csr_matrix((values, places, ends), shape=shape, dtype=np.float64) @ self._weights).toarray()
        return found, ranges

    def best(self, sequences: Iterable[Sequence[Item]]) -> list[list[str]]:
        """Return the best labels of each sequence as a whole (Viterbi). Ties go to the label that training saw first."""
        scores, ranges = self.scores(sequences)
        path = viterbi(scores, ranges, self._transitions) if len(scores) else []
        return [[self.labels[i] for i in path[first:last]] for first, last in ranges]

    def marginals(self, sequences: Iterable[Sequence[Item]]) -> list[Floats]:
        """Return the probability of each label at each item of each sequence: arrays of shape (items, labels)."""
        scores, ranges = self.scores(sequences)
        every = np.ones_like(self._transitions)
        found = SpanProbabilities(self._transitions, every, every).of_tokens(scores, ranges)
        return [found[first:last] for first, last in ranges]
