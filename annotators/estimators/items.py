"""Items as sklearn_crfsuite takes them, feature dicts or lists of names, and their scores under the weights of a CRF.

Scores are summed in the order in which CRFsuite sums them, so they are equal to the last bit, and so are the best labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..sequence.confidence import SpanProbabilities
from ..sequence.extraction import Floats
from ..sequence.viterbi import Ints, viterbi
from ..sequence.weights import Weights

Item = Mapping[str, Any] | Sequence[str] | set[str]
Range = tuple[int, int]

_NAME: set[type] = {str}
_NUMBERS: set[type] = {float, int, bool}


def attributes(item: Item) -> Iterator[tuple[str, float]]:
    """Yield name and value of each attribute that CRFsuite makes of an item.

    `{"word": "Ann"}` and `["word:Ann"]` are the attribute `word:Ann` with the value 1, `{"length": 3}` is `length` with the value
    3, and `{"next": {...}}` puts `next:` before the names of the inner item.
    """
    for name, value in _expanded(item):
        yield name.partition("\0")[0], value  # CRFsuite stores names up to the first NUL


def _expanded(item: Item) -> Iterator[tuple[str, float]]:
    if not isinstance(item, Mapping):
        yield from ((_text(name), 1.0) for name in ordered(item))
        return
    for name, value in item.items():
        if isinstance(value, dict | list | set):
            for inner, number in _expanded(value):
                yield f"{_text(name)}:{inner}", number
        elif isinstance(value, str | bytes):
            yield f"{_text(name)}:{_text(value)}", 1.0
        else:
            yield _text(name), float(value)


def ordered(item: Any) -> Any:
    """Return an item, with sorted lists instead of the sets in it: their order would follow from the hash seed."""
    if isinstance(item, Mapping):
        return {name: ordered(value) for name, value in item.items()}
    return sorted(item, key=_text) if isinstance(item, set | frozenset) else item


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
        """Return the scores of all labels for all items, of shape (items, labels), and the range of each sequence.

        Raises ValueError or TypeError for a value that is not a finite number, str, dict, list or set.
        """
        places, values, ends, ranges = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(1, np.int64)], []
        done = items = 0
        for sequence in sequences:
            found, numbers, lasts = self._known(sequence)
            places.append(found)
            values.append(numbers)
            ends.append(lasts + done)
            ranges.append((items, items + len(sequence)))
            done, items = done + len(found), items + len(sequence)
        parts = np.concatenate(values), np.concatenate(places), np.concatenate(ends)
        matrix = csr_matrix(parts, shape=(items, len(self._places)), dtype=np.float64)
        scores: Floats = (matrix @ self._weights).toarray()
        return scores, ranges

    def _known(self, sequence: Sequence[Item]) -> tuple[Ints, Floats, Ints]:
        """Return the attributes of a sequence that have weights: their numbers, their values, and how many there are up to the
        end of each item."""
        names: list[str] = []
        values: list[float] = []
        ends = []
        for item in sequence:
            types = set(map(type, item))
            if type(item) is list and types <= _NAME:
                names += item
                values += repeat(1.0, len(item))
            elif type(item) is dict and types <= _NAME and set(map(type, item.values())) <= _NUMBERS:
                names += item
                values += item.values()
            else:
                pairs = list(attributes(item))
                names += [name for name, _ in pairs]
                values += [value for _, value in pairs]
            ends.append(len(names))
        if "\0" in "".join(names):
            names = [name.partition("\0")[0] for name in names]
        places = np.fromiter(map(self._places.get, names, repeat(-1)), np.int64, len(names))
        numbers = np.array(values, np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("expected finite numbers")
        known = places >= 0
        counts = np.concatenate([np.zeros(1, np.int64), known.cumsum()])
        return places[known], numbers[known], counts[ends]

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
