"""Vocabularies and the input arrays of a network. NumPy only, for training, PyTorch and ONNX."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...typesystem import FormTable
from ..sequence.extraction import DocumentFeatures, FeatureSet
from ..sequence.feature import Words
from .attribute_rows import AttributeRows, padded

Ints = npt.NDArray[np.int64]
Floats32 = npt.NDArray[np.float32]
Span = tuple[int, int]
SequenceOf = Literal["sentence", "document"]

PADDING, UNKNOWN, FIRST = 0, 1, 2
"""Indexes in vocabularies: padding, unknown entries, the first entry."""
MAX_FORM = 40
"""Maximum number of characters of a token; the middle of a longer one is left out."""
MAX_CACHED_FORMS = 50_000
"""Maximum number of forms in the caches of word indexes and of characters."""


class Vocabulary:
    """Indexes of strings, starting at `FIRST`."""

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = list(entries)
        self.index = {entry: i for i, entry in enumerate(self.entries, FIRST)}

    def __len__(self) -> int:
        """Return the number of indexes, including padding and unknown."""
        return len(self.entries) + FIRST

    def __contains__(self, entry: str) -> bool:
        return entry in self.index

    def index_of(self, entry: str) -> int:
        return self.index.get(entry, UNKNOWN)


@dataclass(slots=True)
class IndexedDocument:
    """The arrays of a document, with one row per token.

    `words` of shape (tokens,); `spellings` and `attributes`, one for each token, are the indexes of its characters and of its
    attributes, as the bytes of 64-bit integers; `numbers` of shape (tokens, real-valued features). `sequences` are the token
    ranges that are the inputs of the network.
    """

    words: Ints
    spellings: list[bytes]
    attributes: list[bytes]
    numbers: Floats32
    sequences: list[Span]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(slots=True)
class Batch:
    """The arrays of several sequences, padded to the longest.

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
        """True for tokens, false for padding; shape (B, T)."""
        return np.arange(self.words.shape[1])[None, :] < self.lengths[:, None]


@dataclass(slots=True)
class Indexer:
    """Converts documents to arrays with the help of vocabularies."""

    features: FeatureSet
    words: Vocabulary
    characters: Vocabulary
    attributes: Vocabulary
    lower: bool = False
    lower_characters: bool = False
    post_space: int = 0
    sequence: SequenceOf = "sentence"
    max_length: int = 256
    _indexes: FormTable[int] = field(init=False)
    _spellings: FormTable[bytes] = field(init=False)
    _attributes: AttributeRows | None = None

    def __post_init__(self) -> None:
        self._indexes = FormTable(self._index_of, MAX_CACHED_FORMS)
        self._spellings = FormTable(self._spelling, MAX_CACHED_FORMS)

    def index(self, columns: DocumentFeatures, gaps: Sequence[str] | None) -> IndexedDocument:
        """Return the arrays of a document. `gaps` is the text after each token, needed with `post_space`."""
        forms = columns.forms
        keys = [f + "\0" + g for f, g in zip(forms, gaps or (), strict=True)] if self.post_space else forms
        self._indexes.fill(forms, lambda new: map(self._index_of, new))
        self._spellings.fill(keys, lambda new: map(self._spelling, new))
        return IndexedDocument(
            np.fromiter(map(self._indexes.__getitem__, forms), np.int64, len(forms)),
            list(map(self._spellings.__getitem__, keys)),
            self._rows(columns),
            np.ascontiguousarray(columns.numbers.T, dtype=np.float32),
            split_sequences(columns.sentences, self.sequence, self.max_length),
        )

    def _index_of(self, form: str) -> int:
        return self.words.index_of(form.lower() if self.lower else form)

    def _spelling(self, key: str) -> bytes:
        index = self.characters.index
        return array("q", [index.get(c, UNKNOWN) for c in characters_of(key, self.lower_characters)]).tobytes()

    def _rows(self, columns: DocumentFeatures) -> list[bytes]:
        if not self.attributes.entries:
            return [b""] * len(columns.forms)
        if self._attributes is None:
            self._attributes = AttributeRows(self.features, self.attributes.index)
        return self._attributes.rows(columns)

    def batch(self, items: Sequence[tuple[IndexedDocument, Span]]) -> Batch:
        """Return sequences of documents as a batch."""
        lengths = np.array([last - first for _, (first, last) in items], dtype=np.int64)
        b, t = len(items), int(lengths.max())
        v = items[0][0].numbers.shape[1]
        words, forms, numbers = np.zeros((b, t), np.int64), np.zeros((b, t), np.int64), np.zeros((b, t, v), np.float32)
        distinct: dict[bytes, int] = {}
        rows: list[bytes] = []
        for row, (document, (first, last)) in enumerate(items):
            n = last - first
            words[row, :n] = document.words[first:last]
            forms[row, :n] = [distinct.setdefault(s, len(distinct)) for s in document.spellings[first:last]]
            forms[row, n:] = forms[row, 0]  # padding needs a form; its output is ignored
            rows += [*document.attributes[first:last], *[b""] * (t - n)]
            numbers[row, :n] = document.numbers[first:last]
        attributes = padded(rows).reshape(b, t, -1)
        sizes = np.array([len(s) // 8 for s in distinct], dtype=np.int64)
        characters = padded(list(distinct))
        return Batch(words, characters, sizes, forms, attributes, numbers, lengths)


def characters_of(key: str, lower: bool = False) -> str:
    """Return the characters of a form that the network reads. A key is a form, or a form, NUL and the gap after it."""
    form, separator, gap = (key.lower() if lower else key).partition("\0")
    if len(form) > MAX_FORM:
        form = form[: MAX_FORM // 2] + form[-MAX_FORM // 2 :]
    return (form + gap if separator else form) or "\0"


def gaps_of(words: Words, longest: int) -> list[str]:
    """Return the first characters, up to `longest`, between each token and the next one with a letter or digit.

    These are the "post space" characters of the inverse hybrid system (§4.3.4): white space, line ends and symbols. Its tokens
    are runs of letters and digits, so the slash of `3/4` follows the token `3`; here it is a token of its own as well.
    """
    text = words.view.text
    gaps, following = [], len(text)
    for begin, end, form in zip(words.begins[::-1], words.ends[::-1], words.forms[::-1], strict=True):
        gaps.append(text[end : min(following, end + longest)])
        if any(map(str.isalnum, form)):
            following = begin
    return gaps[::-1]


def split_sequences(sentences: Sequence[Span], sequence: SequenceOf, max_length: int) -> list[Span]:
    """Return the token ranges that are inputs of a network: sentences, or for `document` as many complete ones as fit.

    A sentence of more than `max_length` tokens is divided.
    """
    ranges: list[Span] = []
    for first, last in sentences:
        if first == last:
            continue
        if sequence == "document" and ranges and ranges[-1][1] == first and last - ranges[-1][0] <= max_length:
            ranges[-1] = (ranges[-1][0], last)
            continue
        ranges += [(i, min(i + max_length, last)) for i in range(first, last, max_length)]
    return ranges


def attribute_counts(features: FeatureSet, columns: Iterable[DocumentFeatures]) -> Counter[str]:
    """Count the occurrences of each binary attribute."""
    counts: Counter[str] = Counter()
    labels = {f.label for f in features.of_value}
    for document in columns:
        for names in features.attributes(document):
            counts.update(n for n in names if n.partition(":")[2] not in labels)
    return counts


def batch_by_length(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Yield batches of sequence indexes of similar length, longest first: at most `tokens` tokens with padding."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        size = max(1, tokens // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size
