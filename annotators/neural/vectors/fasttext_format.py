"""The binary models of fastText: words, and the character n-grams from which vectors of unknown words are computed.

After Bojanowski, Grave, Joulin and Mikolov 2017 (TACL 5); the layout is that of fastText's own `saveModel`, versions 11 and 12.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from .reading import LONGEST_WORD, Content, DamagedVectors, Floats32, Rows, check_dim

_HEAD = struct.Struct("<ii12id")
_SIZES = struct.Struct("<iiiqq")
_ENTRY = struct.Struct("<qb")
_SHAPE = struct.Struct("<qq")
_PAIR = struct.Struct("<ii")
_BYTE = struct.Struct("<b")
_SUPERVISED = 3
_LONGEST_NGRAM = 64
_LONGEST_FORM = 1_000
"""Maximum number of characters of a form that gets a vector from its n-grams, to limit the running time."""
_BLOCK = 1_000
_END = "</s>"
_CUT = "the file ends in {}: cut off"


class Subwords:
    """The n-grams of a model, which are rows of its input matrix."""

    def __init__(self, words: int, bucket: int, shortest: int, longest: int, kept: dict[int, int] | None) -> None:
        self.words = words
        self.bucket = bucket
        self.shortest = shortest
        self.longest = longest
        self.kept = kept
        """New row of each n-gram that pruning kept; None without pruning."""

    def ids(self, word: str) -> list[int]:
        """Return the rows of the n-grams of a word, in order. N-grams share rows by hash (FNV-1a of signed bytes)."""
        if not self.longest or word == _END:
            return []
        data = f"<{word}>".encode("utf-8", "surrogatepass")
        letters = [data[a:b] for a, b in pairwise([*(i for i, x in enumerate(data) if x & 0xC0 != 0x80), len(data)])]
        rows = []
        for first in range(len(letters)):
            hashed = 2_166_136_261
            for last in range(first, min(first + self.longest, len(letters))):
                for byte in letters[last]:
                    hashed = ((hashed ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16_777_619) & 0xFFFFFFFF
                length = last - first + 1
                if length >= self.shortest and not (length == 1 and (first == 0 or last == len(letters) - 1)):
                    rows.append(hashed % self.bucket)
        if self.kept is not None:
            rows = [self.kept[i] for i in rows if i in self.kept]
        return [self.words + i for i in rows]


class _Composer:
    """Computes vectors of unknown words. The file is mapped into memory."""

    def __init__(self, subwords: Subwords, rows: Floats32) -> None:
        self.subwords = subwords
        self.rows = rows

    def __call__(self, form: str) -> Floats32 | None:
        ids = self.subwords.ids(form) if len(form) <= _LONGEST_FORM else []
        return np.mean(self.rows[ids], axis=0, dtype=np.float32) if ids else None


def read_fasttext(path: Path, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read a model of fastText (`.bin`). The vector of a word is the mean of its row and the rows of its n-grams.

    The file must exist while the vectors are used. Raises DamagedVectors, also for quantized models (`.ftz`), which contain no
    vectors.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        parsed = _ModelFile(data)
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    numbers = np.frombuffer(mapped, dtype="<f4", count=parsed.rows * parsed.dim, offset=parsed.start)
    matrix: Floats32 = numbers.reshape(parsed.rows, parsed.dim)
    return parsed.content(matrix, limit, only)


class _ModelFile:
    """The parts of a model file before the input matrix, and its offset. No memory is allocated by the sizes in a header."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0
        _, version, self.dim, *arguments, _ = self._take(_HEAD, "its header")
        if version not in (11, 12):
            raise DamagedVectors(f"a model of fastText in format {version}: expected 11 or 12")
        check_dim(self.dim, "header")
        model, bucket, shortest, longest = arguments[6:10]
        if version == 11 and model == _SUPERVISED:
            longest = 0  # such models have no character n-grams, regardless of the header
        if bucket < 0 or not 0 <= longest <= _LONGEST_NGRAM or (longest and (not bucket or shortest < 0)):
            raise DamagedVectors("header: lengths of n-grams or number of buckets out of range: damaged")
        entries, words, labels, _, pruned = self._take(_SIZES, "its header")
        if words < 0 or labels < 0 or entries != words + labels or pruned < -1:
            raise DamagedVectors("header: inconsistent numbers of words: damaged")
        self.words = list(self._words(entries, words))
        pairs = [self._take(_PAIR, "the list of n-grams") for _ in range(pruned)]
        kept = None if pruned < 0 else {old: new for old, new in pairs}  # noqa: C416 - mypy takes dict(pairs) for no mapping
        if self._take(_BYTE, "its matrix")[0]:
            raise DamagedVectors("a quantized model of fastText (.ftz) without vectors: use the .bin or .vec file")
        self.rows, width = self._take(_SHAPE, "its matrix")
        self.start = self.at
        ngrams = (bucket if longest else 0) if kept is None else max(kept.values(), default=-1) + 1
        if width != self.dim or self.rows < words + ngrams or min(new for _, new in [(0, 0), *pairs]) < 0:
            raise DamagedVectors("the shape of its matrix does not fit its words and n-grams: damaged")
        if self.start + 4 * self.rows * self.dim > len(data):
            raise DamagedVectors(_CUT.format("its matrix"))
        self.subwords = Subwords(words, bucket, shortest, longest, kept)

    def _take(self, layout: struct.Struct, what: str) -> tuple[int, ...]:
        raw = self.data[self.at : self.at + layout.size]
        if len(raw) < layout.size:
            raise DamagedVectors(_CUT.format(what))
        self.at += layout.size
        return layout.unpack(raw)

    def _words(self, entries: int, words: int) -> Iterator[bytes]:
        for number in range(entries):
            end = self.data.find(b"\0", self.at, self.at + LONGEST_WORD + 1)
            if end < 0:
                cut = len(self.data) - self.at <= LONGEST_WORD
                raise DamagedVectors(_CUT.format("its words") if cut else f"word {number + 1:,}: has no end: damaged")
            word = self.data[self.at : end]
            self.at = end + 1
            _, kind = self._take(_ENTRY, "its words")
            if kind != (number >= words):
                raise DamagedVectors(f"word {number + 1:,}: expected words first, then labels: damaged")
            if number < words:
                yield word

    def content(self, matrix: Floats32, limit: int | None, only: frozenset[str] | None) -> Content:
        rows = Rows(self.dim, limit, only)
        self._check_ngrams(matrix)
        chosen: list[list[int]] = []
        for number, word in enumerate(self.words):
            if rows.full:
                break
            if rows.wants(word, f"word {number + 1:,}"):
                chosen.append([number, *self.subwords.ids(rows.words[-1])])
                if len(chosen) == _BLOCK:
                    rows.add_block(_means(matrix, chosen))
                    chosen = []
        if chosen:
            rows.add_block(_means(matrix, chosen))
        content = rows.content()
        content.compose = _Composer(self.subwords, matrix) if self.subwords.longest else None
        return content

    def _check_ngrams(self, matrix: Floats32) -> None:
        for at in range(len(self.words), len(matrix), 65_536):
            if not np.isfinite(matrix[at : at + 65_536]).all():
                raise DamagedVectors("a number of its n-grams is infinite or NaN")


def _means(matrix: Floats32, chosen: list[list[int]]) -> Floats32:
    """Return the mean of the rows of each list."""
    sizes = np.array([len(ids) for ids in chosen])
    flat = np.fromiter((i for ids in chosen for i in ids), np.int64, int(sizes.sum()))
    sums = np.add.reduceat(matrix[flat], np.concatenate(([0], np.cumsum(sizes)[:-1])), axis=0)
    return np.asarray(sums / sizes[:, None], dtype=np.float32)
