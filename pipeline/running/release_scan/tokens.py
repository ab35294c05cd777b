"""Words and numbers of a text as keyed hashes, and the search of their sequences in tables of hashes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ....annotators.known_phi.searchable_text import fold
from ...storage.lazy_regex import lazy_regex

TOKEN = lazy_regex(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff])*|\d+")
"""A run of letters, with the invisible characters inside it, or a run of digits."""
_ASCII = lazy_regex("[A-Za-z]+|[0-9]+")
"""The same in ASCII text."""
_DIGITS = re.compile(r"\d+")
_GROUPS = re.compile(r"\d++(?:[\W_]{1,3}+\d++)++|\d{4,}+")
"""Groups of digits with up to three characters other than letters between them, or at least `SHORTEST_NUMBER` digits."""
FORM = np.dtype([("digest", "<u8"), ("size", "u1"), ("kind", "u1"), ("reach", "u1")])
"""A form of a value: hash, size (see `NUMBER`), index of the kind, and reach (see `values`)."""
NUMBER = 0x80
"""Added to the size of a number, which is its digits with any separators; other sizes are words and numbers side by side."""
LONGEST = 12
"""Longer values are searched for by their first words and numbers."""
LONGEST_NUMBER = 20
_FACTOR = 0x9E3779B97F4A7C15
_STEP = np.uint64(_FACTOR)
_MASK = (1 << 64) - 1
_CACHED = 30_000
_MOST_GROUPS = 8


class Hasher(dict[str, int]):
    """Keyed 64-bit hashes of words and numbers as written (BLAKE2b, RFC 7693), in any case and without accents."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def __missing__(self, written: str) -> int:
        if len(self) > _CACHED:
            self.clear()
        value = self[written] = self.digest(folded(written))
        return value

    def digest(self, text: str) -> int:
        """Return the hash of a folded text."""
        raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self.key, digest_size=8).digest()
        return int.from_bytes(raw, "little")

    def words(self, words: Sequence[str]) -> int:
        """Return the hash of folded words and numbers side by side."""
        value = 0
        for word in words:
            value = (value * _FACTOR + self._digest(word)) & _MASK
        return value

    def number(self, digits: str) -> int:
        """Return the hash of a number with any separators."""
        return self._digest(f"#{digits}")

    def _digest(self, text: str) -> int:
        """Return the hash of a folded text, remembered if folding it again changes nothing."""
        return self[text] if text.isascii() else self.digest(text)


def folded(written: str) -> str:
    """Return a word or number in lower case, without accents and invisible characters, digits in ASCII."""
    if written.isascii():
        return written.lower()
    plain = unicodedata.normalize("NFKD", fold(written))
    return "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Me", "Cf")).casefold()


def words_of(text: str) -> list[str]:
    """Return the folded words and numbers of a text."""
    return _ASCII.findall(text.lower()) if text.isascii() else [folded(word) for word in TOKEN.findall(text)]


class Place(NamedTuple):
    """A form that a text contains: code points, kind, and the form itself."""

    begin: int
    end: int
    kind: int
    size: int
    digest: int


class Tokens:
    """The words and numbers of one text."""

    def __init__(self, text: str, hasher: Hasher) -> None:
        self.text = text
        self.hasher = hasher
        self._token = _ASCII if text.isascii() else TOKEN
        self.words: list[str] = self._token.findall(text)
        """As written."""

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Begin and end of each word: needed only for those that are found."""
        return [m.span() for m in self._token.finditer(self.text)]

    @cached_property
    def hashes(self) -> Any:
        return np.fromiter(map(self.hasher.__getitem__, self.words), np.uint64, len(self.words))

    @cached_property
    def numbers(self) -> list[tuple[str, int, int]]:
        """(digits, begin, end) of each number, also in groups: `555-123-4567`."""
        return list(self._numbers())

    def _numbers(self) -> Iterator[tuple[str, int, int]]:
        text = self.text
        for near in _GROUPS.finditer(text):
            groups = [m.span() for m in _DIGITS.finditer(text, *near.span())]
            for first, (begin, _) in enumerate(groups):
                digits = ""
                for start, end in groups[first : first + _MOST_GROUPS]:
                    digits += folded(text[start:end])
                    if len(digits) > LONGEST_NUMBER:
                        break
                    if len(digits) >= SHORTEST_NUMBER:
                        yield digits, begin, end

    def find(self, table: FormTable) -> Iterator[Place]:
        """Yield the forms of a table in this text."""
        if not table or not self.words:
            return
        grams = self.hashes
        for size in range(1, min(table.longest, len(self.words)) + 1):
            if size > 1:
                grams = grams[:-1] * _STEP + self.hashes[size - 1 :]
            for at, kind, digest in table.lookup(size, grams):
                yield Place(self.spans[at][0], self.spans[at + size - 1][1], kind, size, digest)
        if table.lengths:
            for digits, begin, end in self.numbers:
                if len(digits) in table.lengths:
                    size, number = len(digits) | NUMBER, self.hasher.number(digits)
                    found = table.kind_of(size, number)
                    if found is not None:
                        yield Place(begin, end, found, size, number)

    def touches(self, place: Place) -> bool:
        """Return whether a letter touches a number, or a digit a short word, as in hexadecimal digests."""
        before, after = self.text[place.begin - 1 : place.begin], self.text[place.end : place.end + 1]
        if place.size & NUMBER:
            return before.isalpha() or after.isalpha()
        return place.size == 1 and place.end - place.begin < _SHORT and (before.isdigit() or after.isdigit())


SHORTEST_NUMBER = 4
_SHORT = 5


class FormTable:
    """Forms to search for, by size. A number of `FORM` takes 9 bytes."""

    def __init__(self, forms: Any) -> None:
        self._forms: dict[int, tuple[Any, Any]] = {}
        """Digests in order, the last one twice, and their kinds."""
        order = np.lexsort((forms["digest"], forms["size"]))
        sizes, digests, kinds = forms["size"][order], forms["digest"][order], forms["kind"][order]
        new = np.ones(len(forms), bool)
        new[1:] = (sizes[1:] != sizes[:-1]) | (digests[1:] != digests[:-1])  # of several kinds, the first one counts
        sizes, digests, kinds = sizes[new], digests[new], kinds[new]
        bounds = [0, *((sizes[1:] != sizes[:-1]).nonzero()[0] + 1).tolist(), len(sizes)]
        for begin, end in pairwise(bounds) if len(sizes) else ():
            padded = np.append(digests[begin:end], digests[end - 1])
            self._forms[int(sizes[begin])] = padded, kinds[begin:end]
        words = [size for size in self._forms if not size & NUMBER]
        self.longest = max(words, default=0)
        self.lengths = {size - NUMBER for size in self._forms if size & NUMBER}
        """Lengths of its numbers, in digits."""

    def __bool__(self) -> bool:
        return bool(self._forms)

    def __len__(self) -> int:
        return sum(len(kinds) for _, kinds in self._forms.values())

    def lookup(self, size: int, grams: Any) -> Iterable[tuple[int, int, int]]:
        """Return (index, kind, hash) of the hashes that the table contains."""
        if size not in self._forms:
            return ()
        digests, kinds = self._forms[size]
        found = digests[:-1].searchsorted(grams)
        hits = (digests[found] == grams).nonzero()[0].tolist()
        return [(at, int(kinds[found[at]]), int(grams[at])) for at in hits]

    def kind_of(self, size: int, digest: int) -> int | None:
        """Return the kind of a form; None if the table does not contain it."""
        if size not in self._forms:
            return None
        digests, kinds = self._forms[size]
        at = int(digests[:-1].searchsorted(np.uint64(digest)))
        return int(kinds[at]) if at < len(kinds) and int(digests[at]) == digest else None


def forms_array(forms: Iterable[tuple[int, int, int, int]]) -> Any:
    """Return forms (hash, size, kind, reach) as an array of `FORM`."""
    return np.array(list(forms), FORM)
