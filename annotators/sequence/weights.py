"""The weights of a linear model: of attributes for labels, and of pairs of labels."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ...pipeline.errors import nearest
from .arrays import joined, npz
from .extraction import Floats

Ints = npt.NDArray[np.int64]
_COLON = ord(":")
_CONTINUES = 0x80
"""The two highest bits of a byte in UTF-8 that does not begin a character."""


class Names(Sequence[str]):
    """Strings as the bytes of all of them, each decoded when it is asked for: models have hundreds of thousands."""

    def __init__(self, blob: Any, ends: Any) -> None:
        """Take what `joined` returns. Raise ValueError if the strings do not fill their bytes, or are not UTF-8."""
        self.blob = np.ascontiguousarray(blob, dtype=np.uint8)
        self.borders = np.concatenate(([0], ends)).astype(np.int64)
        self._data = self.blob.tobytes()
        self._data.decode("utf-8", "surrogatepass")
        inner = self.borders[self.borders < len(self._data)]
        if (np.diff(self.borders) < 0).any() or self.borders[-1] != len(self._data):
            raise ValueError("strings do not fill their bytes")
        if ((self.blob[inner] & 0xC0) == _CONTINUES).any():
            raise ValueError("a string ends within a character")

    def __len__(self) -> int:
        return len(self.borders) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return list(self)[at]
        if not -len(self) <= at < len(self):
            raise IndexError(f"name {at} of {len(self)}")
        at %= len(self)
        return self._data[self.borders[at] : self.borders[at + 1]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return iter([self._data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(self.borders.tolist())])

    def __eq__(self, other: object) -> bool:
        return (
            list(self) == list(other) if isinstance(other, Sequence) and not isinstance(other, str) else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]  # like a list

    def split(self, heads: Sequence[str]) -> tuple[Ints, list[bytes]]:
        """Return for each string which of the heads is before its first colon (-1: none of them), and what is after it: nothing
        if it has none."""
        data, begins, ends = self._data, self.borders[:-1], self.borders[1:]
        colons = np.append((self.blob == _COLON).nonzero()[0], len(data))
        middle = np.minimum(colons[colons.searchsorted(begins)], ends)
        which = np.full(len(self), -1, np.int64)
        for number, head in enumerate(map(str.encode, heads)):
            same = (middle - begins == len(head)).nonzero()[0]
            for i, code in enumerate(head):
                same = same[self.blob[begins[same] + i] == code]
            which[same] = number
        after = np.minimum(middle + 1, ends).tolist()
        return which, [data[a:b] for a, b in zip(after, ends.tolist(), strict=True)]


@dataclass(slots=True)
class Blocks:
    """Weights by base: those of base number i are `places` and `values` from `limits[i]` to `limits[i + 1]`.

    Number 0 is a base without weights. `places` are indexes into a flattened array of shape (offsets, labels).
    """

    numbers: dict[str, int]
    limits: Ints
    places: Ints
    values: Floats


@dataclass(slots=True)
class Weights:
    """Sparse weights of attributes for labels, and of label pairs.

    `attributes[rows[i]]` has the weight `values[i]` for `labels[columns[i]]`. `transitions` has shape (labels, labels), from
    row to column; None if neighboring labels do not matter (SVM).
    """

    labels: list[str]
    attributes: Sequence[str]
    rows: Ints
    columns: Ints
    values: Floats
    transitions: Floats | None = None
    bias: Floats | None = None
    """Added to every score of a label: shape (labels,)."""

    @staticmethod
    def of(
        labels: Sequence[str],
        state: Mapping[tuple[str, str], float],
        transitions: Mapping[tuple[str, str], float] | None = None,
    ) -> Weights:
        """Return the weights with values by (attribute, label) and transitions by (label, label)."""
        number = {label: i for i, label in enumerate(labels)}
        attributes = sorted({a for a, _ in state})
        place = {a: i for i, a in enumerate(attributes)}
        rows = np.fromiter((place[a] for a, _ in state), np.int64, len(state))
        columns = np.fromiter((number[label] for _, label in state), np.int64, len(state))
        values = np.fromiter(state.values(), np.float64, len(state))
        order = np.lexsort((columns, rows))
        matrix = None
        if transitions is not None:
            matrix = np.zeros((len(labels), len(labels)))
            for (a, b), value in transitions.items():
                matrix[number[a], number[b]] = value
        return Weights(list(labels), attributes, rows[order], columns[order], values[order], matrix)

    @staticmethod
    def of_matrix(
        labels: Sequence[str], attributes: Sequence[str], dense: Floats, prune: float = 0.0, bias: Floats | None = None
    ) -> Weights:
        """Return the weights of a matrix of shape (attributes, labels) whose absolute value is larger than `prune`."""
        rows, columns = np.nonzero(np.abs(dense) > prune)
        used = np.unique(rows)
        renumbered = np.zeros(len(attributes), dtype=np.int64)
        renumbered[used] = np.arange(len(used))
        names = [attributes[i] for i in used]
        return Weights(
            list(labels), names, renumbered[rows], columns.astype(np.int64), dense[rows, columns], None, bias
        )

    @property
    def active(self) -> int:
        """The number of weights that are not zero, including transitions."""
        pairs = 0 if self.transitions is None else int(np.count_nonzero(self.transitions))
        return int(np.count_nonzero(self.values)) + pairs

    def blocks(self, offsets: Sequence[int]) -> Blocks:
        """Return the weights by base (`lower=dr.`), over all offsets."""
        names = self.attributes if isinstance(self.attributes, Names) else Names(*joined(self.attributes))
        known, after = names.split([f"{d}" for d in offsets])
        bases = dict(zip(dict.fromkeys(after), count(1)))
        numbers = np.fromiter(map(bases.__getitem__, after), np.int64, len(after))
        rows = self.rows
        flat = known[rows] * len(self.labels) + self.columns
        owner = numbers[rows]
        keep = known[rows] >= 0
        flat, owner, values = flat[keep], owner[keep], self.values[keep]
        order = np.argsort(owner, kind="stable")
        flat, owner, values = flat[order], owner[order], values[order]
        limits = np.searchsorted(owner, np.arange(len(bases) + 2))  # number 0 owns nothing
        return Blocks({b.decode("utf-8", "surrogatepass"): i for b, i in bases.items()}, limits, flat, values)

    def ranking(self, label: str, n: int = 20) -> list[tuple[str, float]]:
        """Return the attributes with the largest absolute weights for a label. Raises ValueError for an unknown label."""
        if label not in self.labels:
            raise ValueError(f"no label {label}{nearest(label, self.labels)}; labels: {', '.join(self.labels)}")
        mine = np.flatnonzero(self.columns == self.labels.index(label))
        best = sorted(mine, key=lambda i: (-abs(self.values[i]), self.attributes[int(self.rows[i])]))[:n]
        return [(self.attributes[int(self.rows[i])], float(self.values[i])) for i in best]

    def to_npz(self) -> bytes:
        """Return the weights as a NumPy archive without pickles; same weights, same bytes."""
        given = self.attributes
        names, ends = (given.blob, given.borders[1:]) if isinstance(given, Names) else joined(given)
        arrays: dict[str, Any] = {
            "names": names,
            "name_ends": ends,
            "rows": self.rows.astype(np.int32),
            "columns": self.columns.astype(np.int16),
            "values": self.values,
        }
        if self.transitions is not None:
            arrays["transitions"] = self.transitions
        if self.bias is not None:
            arrays["bias"] = self.bias
        return npz(arrays)

    @staticmethod
    def from_npz(data: bytes, labels: Iterable[str]) -> Weights:
        """Undo `to_npz`. Raise ValueError if it is not such an archive."""
        labels = list(labels)
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as found:
                weights = Weights(
                    labels,
                    Names(found["names"], found["name_ends"]),
                    found["rows"].astype(np.int64),
                    found["columns"].astype(np.int64),
                    found["values"].astype(np.float64),
                    found["transitions"].astype(np.float64) if "transitions" in found else None,
                    found["bias"].astype(np.float64) if "bias" in found else None,
                )
        except Exception as error:  # damaged archives fail in many ways, all of them ValueError to the caller
            raise ValueError(f"weights cannot be read ({type(error).__name__})") from None
        weights.verify()
        return weights

    def verify(self) -> None:
        """Raise ValueError if the arrays do not fit together or contain a number that is not finite."""
        n, size = len(self.labels), len(self.values)
        if not n or len(set(self.labels)) != n:
            raise ValueError(
                f"weights: expected different labels, at least one, got {n} of which {len(set(self.labels))} differ"
            )
        if any(array.ndim != 1 for array in (self.rows, self.columns, self.values)):
            raise ValueError("weights: rows, columns and values: expected lists of numbers, got arrays of other shapes")
        if len(self.rows) != size or len(self.columns) != size:
            raise ValueError("weights: rows, columns and values differ in length")
        if size and (self.rows.min() < 0 or self.rows.max() >= len(self.attributes)):
            raise ValueError("weights: rows name attributes that are not there")
        if size and (self.columns.min() < 0 or self.columns.max() >= n):
            raise ValueError(f"weights: columns name labels that are not there (there are {n})")
        if self.transitions is not None and self.transitions.shape != (n, n):
            raise ValueError(f"weights: transitions have shape {self.transitions.shape}, expected {(n, n)}")
        if self.bias is not None and self.bias.shape != (n,):
            raise ValueError(f"weights: bias has shape {self.bias.shape}, expected {(n,)}")
        for name in ("values", "transitions", "bias"):
            array = getattr(self, name)
            if array is not None and not np.isfinite(array).all():
                raise ValueError(f"weights: {name} hold numbers that are not finite")


def mean(models: Sequence[Weights]) -> Weights:
    """Return the mean of linear models over the same labels: a model whose scores are the means of theirs.

    Averaged perceptrons that saw the sentences in other orders make other mistakes; their mean makes fewer. Raises ValueError
    if the labels differ.
    """
    labels = sorted(models[0].labels)
    places: dict[str, int] = {}
    keys, values = [], []
    transitions = None
    for model in models:
        if sorted(model.labels) != labels:
            raise ValueError("weights: models with different labels have no mean")
        numbers = np.array([labels.index(label) for label in model.labels], dtype=np.int64)
        names = np.array([places.setdefault(a, len(places)) for a in model.attributes], dtype=np.int64)
        keys.append(names[model.rows] * len(labels) + numbers[model.columns])
        values.append(model.values / len(models))
        if model.transitions is not None:
            share = np.zeros((len(labels), len(labels)))
            share[np.ix_(numbers, numbers)] = model.transitions / len(models)
            transitions = share if transitions is None else transitions + share
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    summed = np.bincount(inverse, np.concatenate(values), len(unique)).astype(np.float64)
    return Weights(labels, list(places), unique // len(labels), unique % len(labels), summed, transitions)


def slim(weights: Weights, prune: float) -> Weights:
    """Return weights in single precision, those of attributes not larger than `prune` left out, attributes in sorted order."""
    values = weights.values.astype(np.float32).astype(np.float64)
    kept = (np.abs(values) > prune).nonzero()[0]
    order = sorted(np.unique(weights.rows[kept]).tolist(), key=lambda row: weights.attributes[row])
    place = np.zeros(len(weights.attributes), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows, columns = place[weights.rows[kept]], weights.columns[kept]
    by_row = np.lexsort((columns, rows))
    transitions = weights.transitions
    if transitions is not None:
        transitions = transitions.astype(np.float32).astype(np.float64)
    names = [weights.attributes[row] for row in order]
    return Weights(weights.labels, names, rows[by_row], columns[by_row], values[kept][by_row], transitions)
