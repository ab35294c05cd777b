"""Finds words of a dictionary within one edit of a misspelt word, by an index of words with one letter removed."""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...pipeline.errors import ConsumerError
from ...pipeline.storage.files import write_atomic
from .compiled import U32, Compiled
from .lexicon import Lexicon

Metric = Literal["levenshtein", "osa"]


class FuzzyIndex:
    """Finds the words of a compiled dictionary that are one edit from a query and share its first letter.

    Two words one edit apart become equal if each loses at most one letter, so it is enough to look up the query and its
    shortened forms among the words and their shortened forms (as sorted 32-bit checksums: 4 + 4 bytes each) and to verify.
    `levenshtein` counts a swap of neighbors as two edits, `osa` (optimal string alignment) as one.
    """

    __slots__ = ("_checksums", "_distance", "_numbers", "_words")

    SHORTEST = 4
    """Dictionary words with fewer letters are not indexed."""

    def __init__(self, compiled: Compiled, metric: Metric) -> None:
        from rapidfuzz.distance import OSA, Levenshtein

        self._distance: Callable[..., int] = OSA.distance if metric == "osa" else Levenshtein.distance
        self._words = compiled.words
        self._checksums, self._numbers = _index_of(compiled)

    def near(self, word: str) -> tuple[str, ...]:
        """Return the words one edit away, in alphabetical order, without the word itself."""
        if word[:1] == "" or not len(self._checksums):
            return ()
        wanted = np.array(_shortened(word), dtype=U32)
        left = np.searchsorted(self._checksums, wanted, "left").tolist()
        right = np.searchsorted(self._checksums, wanted, "right").tolist()
        numbers = {int(n) for a, b in zip(left, right, strict=True) if a < b for n in self._numbers[a:b]}
        words = sorted(self._words.restore_key(n) for n in numbers)
        return tuple(
            [w for w in words if w[0] == word[0] and w != word and self._distance(w, word, score_cutoff=1) == 1]
        )


def corrector(
    lexicon: Lexicon, metric: Metric, length: int, is_known: Callable[[str], bool]
) -> Callable[[str], tuple[str, ...]]:
    """Return a function that corrects unknown words of at least `length` letters to words of a lexicon."""
    index = FuzzyIndex(lexicon.compiled, metric)
    return lambda word: index.near(word) if len(word) >= length and word.isalpha() and not is_known(word) else ()


def _shortened(word: str) -> list[int]:
    """Return checksums of the word and of each form without one letter after the first."""
    encoded = [word, *(word[:i] + word[i + 1 :] for i in range(1, len(word)))]
    return [zlib.crc32(w.encode()) for w in encoded]


def _index_of(compiled: Compiled) -> tuple[Any, Any]:
    """Return the index, stored in the folder of the compiled dictionary, if it has one, at first use."""
    names = ("near_checksums.npy", "near_words.npy")
    folder = compiled.folder
    if folder is not None:
        with contextlib.suppress(OSError, ValueError):
            stored = [np.load(folder / name, mmap_mode="r", allow_pickle=False) for name in names]
            if len(stored[0]) == len(stored[1]):
                return stored[0], stored[1]
    checksums, numbers = [], []
    for word, number in compiled.words.iteritems():
        if len(word) >= FuzzyIndex.SHORTEST and word.isalpha():
            short = _shortened(word)
            checksums += short
            numbers += [number] * len(short)
    keys = np.array(checksums, dtype=U32)
    values = np.array(numbers, dtype=U32)
    order = np.lexsort((values, keys))
    index = keys[order], values[order]
    if folder is not None:
        with contextlib.suppress(ConsumerError):
            for name, part in zip(names, index, strict=True):
                buffer = io.BytesIO()
                np.save(buffer, part, allow_pickle=False)
                write_atomic(folder / name, buffer.getvalue(), private=True, durable=False)
    return index
