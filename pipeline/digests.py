"""Sets of names that stay small over millions of documents: digests in one flat table, in place of the names."""

from __future__ import annotations

import hashlib
from array import array
from typing import Literal

_SMALLEST = 64
_FULL = 2 / 3


class Digests:
    """A set of strings that keeps only a digest of each (BLAKE2b, RFC 7693): names can be added and looked up, not listed.

    Two different strings may count as one. Among n of them that happens with a probability of n²/2^(bits+1): for ten million
    3e-6 with 64 bits and 1.5e-25 with 128. So 64 bits suit names where a false hit only costs a number behind the name; 128
    suit document ids, where it would cost a document. The same strings give the same answers in every process.

    Memory is 12 to 24 bytes a string with 64 bits and 24 to 48 with 128, against some 150 of a set of file names.
    """

    __slots__ = ("_bits", "_limit", "_mask", "_table", "_used", "_wide")

    def __init__(self, bits: Literal[64, 128] = 128) -> None:
        self._bits = bits
        self._wide = 2 if bits == 128 else 1
        self._used = 0
        self._room(_SMALLEST)

    def add(self, name: str) -> bool:
        """Adds a name. Returns whether it was new."""
        high, low = self._digest(name)
        at, found = self._find(high, low)
        if found:
            return False
        if self._used >= self._limit:
            self._grow()
            at, _ = self._find(high, low)
        self._put(at, high, low)
        self._used += 1
        return True

    def __contains__(self, name: str) -> bool:
        return self._find(*self._digest(name))[1]

    def __len__(self) -> int:
        return self._used

    @property
    def size(self) -> int:
        """Bytes of the table."""
        return len(self._table) * self._table.itemsize

    def _digest(self, name: str) -> tuple[int, int]:
        """Two numbers of 64 bits, the first never 0, which marks a free place; the second is 0 in a set of 64 bits."""
        raw = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=self._bits // 8).digest()
        return int.from_bytes(raw[:8], "little") or 1, int.from_bytes(raw[8:], "little")

    def _find(self, high: int, low: int) -> tuple[int, bool]:
        """The place of a digest and whether it is there: open addressing, one step at a time."""
        table, mask, wide = self._table, self._mask, self._wide
        place = high & mask
        while True:
            found = table[place * wide]
            if not found:
                return place, False
            if found == high and (wide == 1 or table[place * 2 + 1] == low):
                return place, True
            place = (place + 1) & mask

    def _put(self, place: int, high: int, low: int) -> None:
        self._table[place * self._wide] = high
        if self._wide == 2:
            self._table[place * 2 + 1] = low

    def _room(self, places: int) -> None:
        self._mask = places - 1
        self._limit = int(places * _FULL)
        self._table = array("Q", [0]) * (self._wide * places)

    def _grow(self) -> None:
        old, wide = self._table, self._wide
        self._room(2 * (self._mask + 1))
        for i in range(0, len(old), wide):
            if old[i]:
                high, low = old[i], old[i + 1] if wide == 2 else 0
                self._put(self._find(high, low)[0], high, low)

    def __repr__(self) -> str:
        return f"<Digests of {self._used:,} names>"
