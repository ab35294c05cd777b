"""Compact sets of names for millions of documents: sorted digests instead of the names."""

from __future__ import annotations

import hashlib
import sys
from array import array
from bisect import bisect_left
from typing import Literal

FEWEST = 1_024
"""Minimum number of digests that wait outside the sorted array."""
SHARE = 32
"""At most one in this many digests waits outside the array, because it takes ten times the memory."""
_LOW = 2**64 - 1


class Digests:
    """A set of strings that stores only their digests (BLAKE2b, RFC 7693): strings can be added and looked up, but not listed.

    Two different strings can have the same digest. Among n strings, the probability is n²/2^(bits+1): for ten million, 3e-6 with
    64 bits and 1.5e-25 with 128. Use 64 bits for names, for which a collision only adds a number to a name, and 128 for document
    ids, which must not be lost. The same strings give the same answers in every process.

    A string takes about 11 bytes with 64 bits and 19 with 128, compared to about 150 in a set of file names. The digests are
    stored in a sorted array; the newest are in a set until there are enough of them to merge.
    """

    __slots__ = ("_bits", "_fresh", "_high", "_low", "_shift")

    def __init__(self, bits: Literal[64, 128] = 128) -> None:
        self._bits = bits
        self._shift = bits - 64
        self._high = array("Q")
        """The first half of each digest with 128 bits, or all of it with 64; ascending."""
        self._low = array("Q")
        """The second half of each digest; empty with 64 bits."""
        self._fresh: set[int] = set()

    def add(self, name: str) -> bool:
        """Add a name. Return whether it is new."""
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
        """Return the size in bytes."""
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
        """Merge the waiting digests into the array in place, because copies of a long array would fragment memory."""
        fresh = sorted(self._fresh)
        places = [bisect_left(self._high, digest >> self._shift) for digest in fresh]
        _insert(self._high, places, [digest >> self._shift for digest in fresh])
        if self._shift:
            _insert(self._low, places, [digest & _LOW for digest in fresh])
        self._fresh = set()

    def __repr__(self) -> str:
        return f"<Digests of {len(self):,} names>"


def _insert(row: array[int], places: list[int], values: list[int]) -> None:
    """Insert values at ascending indexes, starting from the end."""
    end = len(row)
    row.frombytes(bytes(row.itemsize * len(values)))
    for n in range(len(values), 0, -1):
        begin = places[n - 1]
        row[begin + n : end + n] = row[begin:end]
        row[begin + n - 1] = values[n - 1]
        end = begin
