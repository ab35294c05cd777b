"""Documents as numbers: vocabularies and the inputs of a network. NumPy only: training, PyTorch and ONNX share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..sequence.extraction import Columns, FeatureSet, Spread
from ..sequence.feature import Words

Ints = npt.NDArray[np.int64]
Floats32 = npt.NDArray[np.float32]
Span = tuple[int, int]
SequenceOf = Literal["sentence", "document"]

PADDING, UNKNOWN, FIRST = 0, 1, 2
"""Indexes of vocabularies: padding, everything unknown, the first entry."""
LONGEST_FORM = 40
"""Characters of a token that are read: the first and the last ones of a longer token."""
LONGEST_GAP = 3
"""Characters after a token that are read."""
MANY_FORMS = 50_000
"""Forms whose characters are cached before the table is cleared."""


class Vocabulary:
    """Strings by index, from `FIRST` on."""

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = list(entries)
        self.index = {entry: i for i, entry in enumerate(self.entries, FIRST)}

    def __len__(self) -> int:
        """Return the number of indexes, those of padding and unknown included."""
        return len(self.entries) + FIRST

    def __contains__(self, entry: str) -> bool:
        return entry in self.index

    def of(self, entry: str) -> int:
        return self.index.get(entry, UNKNOWN)


@dataclass(slots=True)
class Seen:
    """A document as numbers; one row per token in all arrays.

    `words` of shape (tokens,); `forms` of shape (tokens,) are rows of the indexer's table of characters; `attributes` of shape
    (tokens, most), padded with 0; `numbers` of shape (tokens, real-valued features). `sequences` are the ranges of tokens
    that are the inputs of the network.
    """

    words: Ints
    forms: Ints
    attributes: Ints
    numbers: Floats32
    sequences: list[Span]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(slots=True)
class Batch:
    """Sequences as one array each, padded to the longest.

    Shapes, for B sequences of at most T tokens, U different forms of at most C characters, K attributes, V numbers:
    `words` (B, T), `characters` (U, C), `sizes` (U,) characters of each form, `forms` (B, T) rows of `characters`,
    `attributes` (B, T, K), `numbers` (B, T, V), `lengths` (B,).
    """

    words: Ints
    characters: Ints
    sizes: Ints
    forms: Ints
    attributes: Ints
    numbers: Floats32
    lengths: Ints

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """True for tokens, false for padding: shape (B, T)."""
        return np.arange(self.words.shape[1])[None, :] < self.lengths[:, None]


@dataclass(slots=True)
class Indexer:
    """Turns documents into numbers by vocabularies."""

    features: FeatureSet
    words: Vocabulary
    characters: Vocabulary
    attributes: Vocabulary
    lower: bool = False
    post_space: bool = False
    sequence: SequenceOf = "sentence"
    max_length: int = 256
    _forms: dict[str, int] = field(default_factory=dict)
    _table: list[Ints] = field(default_factory=list)
    _spread: Spread | None = None

    def seen(self, columns: Columns, gaps: Sequence[str] | None) -> Seen:
        """Return a document as numbers. `gaps` is the text after each token, if characters between tokens count."""
        forms = columns.forms
        if len(self._table) > MANY_FORMS:
            self._forms.clear()
            self._table.clear()
        keys = [f + "\0" + g for f, g in zip(forms, gaps or (), strict=True)] if self.post_space else forms
        return Seen(
            np.array([self.words.of(f.lower() if self.lower else f) for f in forms], dtype=np.int64),
            np.array([self._form(key) for key in keys], dtype=np.int64),
            self._attributes(columns),
            np.ascontiguousarray(columns.numbers.T, dtype=np.float32),
            cut(columns.sentences, self.sequence, self.max_length),
        )

    def _form(self, key: str) -> int:
        found = self._forms.get(key)
        if found is None:
            found = self._forms[key] = len(self._table)
            self._table.append(np.array([self.characters.of(c) for c in spelled(key)], dtype=np.int64))
        return found

    def _attributes(self, columns: Columns) -> Ints:
        n = len(columns.forms)
        if not self.attributes.entries:
            return np.zeros((n, 1), dtype=np.int64)
        if self._spread is None:
            self._spread = Spread(self.features, self.attributes.index.get)
        rows = list(self._spread.rows(columns))
        found = np.zeros((n, max(1, max(map(len, rows), default=0))), dtype=np.int64)
        for i, row in enumerate(rows):
            found[i, : len(row)] = row
        return found

    def batch(self, items: Sequence[tuple[Seen, Span]]) -> Batch:
        """Return sequences of documents as a batch."""
        lengths = np.array([last - first for _, (first, last) in items], dtype=np.int64)
        b, t = len(items), int(lengths.max())
        k = max(seen.attributes.shape[1] for seen, _ in items)
        v = items[0][0].numbers.shape[1]
        words, forms = np.zeros((b, t), np.int64), np.zeros((b, t), np.int64)
        attributes, numbers = np.zeros((b, t, k), np.int64), np.zeros((b, t, v), np.float32)
        for row, (seen, (first, last)) in enumerate(items):
            n = last - first
            words[row, :n] = seen.words[first:last]
            forms[row, :n] = seen.forms[first:last]
            forms[row, n:] = seen.forms[first]  # padding needs some form; its output is ignored
            attributes[row, :n, : seen.attributes.shape[1]] = seen.attributes[first:last]
            numbers[row, :n] = seen.numbers[first:last]
        used = np.flatnonzero(attributes.any(axis=(0, 1)))
        attributes = attributes[:, :, : int(used[-1]) + 1 if len(used) else 1]
        different, forms = np.unique(forms, return_inverse=True)
        spelling = [self._table[i] for i in different]
        sizes = np.array([len(s) for s in spelling], dtype=np.int64)
        characters = np.zeros((len(spelling), int(sizes.max())), np.int64)
        for row, s in enumerate(spelling):
            characters[row, : len(s)] = s
        return Batch(words, characters, sizes, forms.reshape(b, t), attributes, numbers, lengths)


def spelled(key: str) -> str:
    """Return the characters of a form that are read."""
    form, mark, gap = key.partition("\0")
    if len(form) > LONGEST_FORM:
        form = form[: LONGEST_FORM // 2] + form[-LONGEST_FORM // 2 :]
    return form + gap if mark else form or "\0"


def gaps_of(words: Words) -> list[str]:
    """Return the first characters between each token and the next one."""
    text = words.view.text
    begins = [*words.begins[1:], len(text)][: len(words)]
    return [text[e : min(b, e + LONGEST_GAP)] for e, b in zip(words.ends, begins, strict=True)]


def cut(sentences: Sequence[Span], sequence: SequenceOf, longest: int) -> list[Span]:
    """Return the ranges of tokens that are inputs of a network: sentences, or as many complete ones as fit together.

    A sentence longer than `longest` tokens is cut.
    """
    found: list[Span] = []
    for first, last in sentences:
        if first == last:
            continue
        if sequence == "document" and found and found[-1][1] == first and last - found[-1][0] <= longest:
            found[-1] = (found[-1][0], last)
            continue
        found += [(i, min(i + longest, last)) for i in range(first, last, longest)]
    return found


def attribute_counts(features: FeatureSet, columns: Iterable[Columns]) -> Counter[str]:
    """Count the occurrences of each binary attribute."""
    counts: Counter[str] = Counter()
    labels = {f.label for f in features.of_value}
    for one in columns:
        for names in features.attributes(one):
            counts.update(n for n in names if n.partition(":")[2] not in labels)
    return counts


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Yield sequence numbers in groups of similar length: at most `tokens` tokens with their padding, longest first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    at = 0
    while at < len(order):
        together = max(1, tokens // max(1, lengths[order[at]]))
        yield order[at : at + together]
        at += together
