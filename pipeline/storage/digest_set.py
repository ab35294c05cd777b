"""Sets of names that stay small over millions of documents: digests in one sorted row, in place of the names."""

from __future__ import annotations

import hashlib
import sys
from array import array
from bisect import bisect_left
from typing import Literal

FEWEST = 1_024
"""Digests that are not yet in the row, at least."""
SHARE = 32
"""One in so many digests may wait outside the row: each costs ten times what one in it does."""
_LOW = 2**64 - 1


class Digests:
    """A set of strings that keeps only a digest of each (BLAKE2b, RFC 7693): names can be added and looked up, not listed.

    Two different strings may count as one. Among n of them that happens with a probability of n²/2^(bits+1): for ten million
    3e-6 with 64 bits and 1.5e-25 with 128. So 64 bits suit names where a false hit only costs a number behind the name; 128
    suit document ids, where it would cost a document. The same strings give the same answers in every process.

    Memory is some 11 bytes a string with 64 bits and 19 with 128, against some 150 of a set of file names: the digests lie in
    a sorted row without gaps, and the newest wait in a set until there are enough of them for the row to be made anew.
    """

    __slots__ = ("_bits", "_fresh", "_high", "_low", "_shift")

    def __init__(self, bits: Literal[64, 128] = 128) -> None:
        self._bits = bits
        self._shift = bits - 64
        self._high = array("Q")
        """The first half of each digest of 128 bits, all of one of 64; ascending."""
        self._low = array("Q")
        """The second half of each; none with 64 bits."""
        self._fresh: set[int] = set()

    def add(self, name: str) -> bool:
        """Adds a name. Returns whether it was new."""
        digest = self._digest(name)
        if digest in self._fresh or self._in_row(digest):
            return False
        self._fresh.add(digest)
        if len(self._fresh) > max(FEWEST, len(self._high) // SHARE):
            self._settle()
        return True

    def __contains__(self, name: str) -> bool:
        digest = self._digest(name)
        return digest in self._fresh or self._in_row(digest)

    def __len__(self) -> int:
        return len(self._high) + len(self._fresh)

    @property
    def size(self) -> int:
        """Bytes it takes."""
        waiting = sys.getsizeof(self._fresh) + sum(map(sys.getsizeof, self._fresh))
        return (len(self._high) + len(self._low)) * self._high.itemsize + waiting

    def _digest(self, name: str) -> int:
        raw = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=self._bits // 8).digest()
        return int.from_bytes(raw, "little")

    def _in_row(self, digest: int) -> bool:
        row, high = self._high, digest >> self._shift
        at = bisect_left(row, high)
        while at < len(row) and row[at] == high:
            if not self._shift or self._low[at] == digest & _LOW:
                return True
            at += 1
        return False

    def _settle(self) -> None:
        """Takes those that wait into the row, which moves on piece by piece: copies of a long row would leave holes behind."""
        fresh = sorted(self._fresh)
        places = [bisect_left(self._high, digest >> self._shift) for digest in fresh]
        _insert(self._high, places, [digest >> self._shift for digest in fresh])
        if self._shift:
            _insert(self._low, places, [digest & _LOW for digest in fresh])
        self._fresh = set()

    def __repr__(self) -> str:
        return f"<Digests of {len(self):,} names>"


def _insert(row: array[int], places: list[int], values: list[int]) -> None:
    """Puts values before the places, which ascend, from the end on."""
    end = len(row)
    row.frombytes(bytes(row.itemsize * len(values)))
    for n in range(len(values), 0, -1):
        begin = places[n - 1]
        row[begin + n : end + n] = row[begin:end]
        row[begin + n - 1] = values[n - 1]
        end = begin
