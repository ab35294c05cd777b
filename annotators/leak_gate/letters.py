"""The letters of a text without anything between them, in which a divided word is found as one."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import compress
from typing import Any

from ..known_phi.searchable_text import SearchableText, offsets_of

_NOT_LETTERS = bytes(i for i in range(128) if not chr(i).isalpha())
_IS_LETTER = bytes(i < 128 and chr(i).isalpha() for i in range(256))
_MANY_WORDS, _MANY_LETTERS = 500, 20_000
"""From these numbers on, all words are searched for together, so that the time does not grow with text times words."""
_LONGEST = 32
"""Letters of a word that are searched for together; the rest of a longer word is compared afterwards."""
_BLOCK = 1 << 18
"""Letters that are processed at once, which limits the memory."""
_BASE = 0x9E3779B97F4A7C15
_BITS = 20


def letters_of(folded: str) -> str:
    """Return the letters of a folded text."""
    if folded.isascii():
        return folded.encode().translate(None, _NOT_LETTERS).decode()
    return "".join(filter(str.isalpha, folded))


class Letters:
    """The letters of one document."""

    def __init__(self, document: SearchableText) -> None:
        self._text, self._folded = document.text, document.folded
        self._letters = letters_of(self._folded)

    def contain(self, words: Iterable[str]) -> bool:
        """Return True if a folded word may be in the text, divided or not."""
        words = list(words)
        if self._are_many(words):
            return not all(map(str.isalpha, words)) or any(True for _ in occurrences(self._letters, words))
        return any(word in self._letters or not word.isalpha() for word in words)

    def contain_divided(self, words: Iterable[str]) -> bool:
        """Return True if the letters of a folded word are in the text from the border of one word to that of another."""
        words = list(words)
        if not all(map(str.isalpha, words)):
            return True
        if self._are_many(words):
            return any(self._is_divided(begin, size) for begin, size in occurrences(self._letters, words))
        return any(self._is_divided(begin, len(word)) for word in words for begin in offsets_of(self._letters, word))

    def _are_many(self, words: Collection[str]) -> bool:
        return len(words) >= _MANY_WORDS and len(self._letters) >= _MANY_LETTERS

    def _is_divided(self, index: int, size: int) -> bool:
        begin, end = self._offsets[index], self._offsets[index + size - 1] + 1
        text = self._text
        return end - begin > size and not (begin and text[begin - 1].isalnum()) and not text[end : end + 1].isalnum()

    @cached_property
    def _offsets(self) -> array[int]:
        """The offset in the text of each letter."""
        folded = self._folded
        is_letter: Iterable[Any] = (
            folded.encode().translate(_IS_LETTER) if folded.isascii() else map(str.isalpha, folded)
        )
        return array("i", compress(range(len(folded)), is_letter))


def occurrences(letters: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield begin and length of every occurrence of words in a text, in time that hardly depends on the number of words.

    Windows of the text whose hash is that of a word are compared with it (Rabin and Karp 1987).
    """
    import numpy as np

    powers = np.cumprod(np.r_[np.uint64(1), np.full(_BLOCK + _LONGEST, _BASE, np.uint64)])
    inverse = np.cumprod(np.r_[np.uint64(1), np.full(_BLOCK, pow(_BASE, -1, 1 << 64), np.uint64)])
    shift = np.uint64(64 - _BITS)
    by_size: dict[int, dict[str, list[str]]] = {}
    for word in words:
        start = word[:_LONGEST]
        by_size.setdefault(len(start), {}).setdefault(start, []).append(word)
    tables: list[tuple[int, Any, dict[str, list[str]]]] = []
    for size, starts in by_size.items():
        hashes = (_codes("".join(starts)).reshape(-1, size) * powers[:size]).sum(axis=1, dtype=np.uint64)
        table = np.zeros(1 << _BITS, bool)
        table[hashes >> shift] = True
        tables.append((size, table, starts))
    for first in range(0, len(letters), _BLOCK):
        piece = letters[first : first + _BLOCK + _LONGEST - 1]
        sums = np.zeros(len(piece) + 1, np.uint64)
        np.cumsum(_codes(piece) * powers[: len(piece)], out=sums[1:])
        for size, table, starts in tables:
            windows = (sums[size:] - sums[:-size])[:_BLOCK]
            windows *= inverse[: len(windows)]
            for i in np.flatnonzero(table[windows >> shift]).tolist():
                for word in starts.get(piece[i : i + size], ()):
                    if len(word) == size or letters.startswith(word, first + i):
                        yield first + i, len(word)


def _codes(text: str) -> Any:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
