"""Words and numbers of a text as keyed hashes, and the search of their sequences in tables of hashes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....annotators.known_phi.searchable_text import fold

TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff])*|\d+")
"""A run of letters, with the invisible characters inside it, or a run of digits."""
FORM = np.dtype([("digest", "<u8"), ("size", "u1"), ("kind", "u1"), ("reach", "u1")])
"""A form of a value: hash, size (see `NUMBER`), index of the kind, and reach (see `values`)."""
NUMBER = 0x80
"""Added to the size of a number, which is its digits with any separators; other sizes are words and numbers side by side."""
LONGEST = 12
"""Longer values are searched for by their first words and numbers."""
LONGEST_NUMBER = 20
_FACTOR = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_CACHED = 200_000
_MOST_GROUPS = 8
_WIDEST_GAP = 3


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
            value = (value * _FACTOR + self.digest(word)) & _MASK
        return value

    def number(self, digits: str) -> int:
        """Return the hash of a number with any separators."""
        return self.digest(f"#{digits}")


def folded(written: str) -> str:
    """Return a word or number in lower case, without accents and invisible characters, digits in ASCII."""
    if written.isascii():
        return written.lower()
    plain = unicodedata.normalize("NFKD", fold(written))
    return "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Me", "Cf")).casefold()


def words_of(text: str) -> list[str]:
    """Return the folded words and numbers of a text."""
    return [folded(word) for word in TOKEN.findall(text)]


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
        self.matches = list(TOKEN.finditer(text))

    @cached_property
    def hashes(self) -> Any:
        hasher = self.hasher
        return np.fromiter((hasher[m.group()] for m in self.matches), np.uint64, len(self.matches))

    @cached_property
    def numbers(self) -> list[tuple[int, int, int, int]]:
        """(hash, digits, first token, last token) of each number, also in groups: `555-123-4567`."""
        return list(self._numbers())

    def _numbers(self) -> Iterator[tuple[int, int, int, int]]:
        matches, text = self.matches, self.text
        for first, match in enumerate(matches):
            if not text[match.start()].isdecimal():
                continue
            digits, end = "", match.start()
            for last in range(first, min(first + _MOST_GROUPS, len(matches))):
                group = matches[last]
                begin = group.start()
                if not text[begin].isdecimal() or begin - end > _WIDEST_GAP:
                    break
                digits += folded(group.group())
                end = group.end()
                if len(digits) > LONGEST_NUMBER:
                    break
                if len(digits) >= SHORTEST_NUMBER:
                    yield self.hasher.number(digits), len(digits), first, last

    def find(self, table: FormTable) -> Iterator[Place]:
        """Yield the forms of a table in this text."""
        if not table or not self.matches:
            return
        grams, size = self.hashes, 1
        for size in range(1, min(table.longest, len(self.matches)) + 1):
            if size > 1:
                grams = grams[:-1] * np.uint64(_FACTOR) + self.hashes[size - 1 :]
            for at, kind, digest in table.lookup(size, grams):
                yield Place(self.matches[at].start(), self.matches[at + size - 1].end(), kind, size, digest)
        if table.has_numbers:
            for number, digits, first, last in self.numbers:
                found = table.kind_of(digits | NUMBER, number)
                if found is not None:
                    begin, end = self.matches[first].start(), self.matches[last].end()
                    yield Place(begin, end, found, digits | NUMBER, number)

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
        for size in np.unique(forms["size"]).tolist() if len(forms) else ():
            rows = forms[forms["size"] == size]
            digests, first = np.unique(rows["digest"], return_index=True)
            self._forms[size] = digests, rows["kind"][first]
        words = [size for size in self._forms if not size & NUMBER]
        self.longest = max(words, default=0)
        self.has_numbers = len(words) < len(self._forms)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def __len__(self) -> int:
        return sum(len(digests) for digests, _ in self._forms.values())

    def lookup(self, size: int, grams: Any) -> Iterator[tuple[int, int, int]]:
        """Yield (index, kind, hash) of the hashes that the table contains."""
        if size not in self._forms:
            return
        digests, kinds = self._forms[size]
        found = np.searchsorted(digests, grams)
        found[found == len(digests)] = 0
        for at in np.flatnonzero(digests[found] == grams).tolist():
            yield at, int(kinds[found[at]]), int(grams[at])

    def kind_of(self, size: int, digest: int) -> int | None:
        """Return the kind of a form; None if the table does not contain it."""
        if size not in self._forms:
            return None
        digests, kinds = self._forms[size]
        at = int(np.searchsorted(digests, np.uint64(digest)))
        return int(kinds[at]) if at < len(digests) and int(digests[at]) == digest else None


def forms_array(forms: Iterable[tuple[int, int, int, int]]) -> Any:
    """Return forms (hash, size, kind, reach) as an array of `FORM`."""
    return np.array(list(forms), FORM)
