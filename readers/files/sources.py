"""Long lists of files in little memory: about ten bytes per file, whereas objects would take three hundred."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import overload

_BLOCK = 256
"""Number of sources that are compressed together."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path and its document id. `fault`: why it must not be read."""

    path: str
    id: str
    fault: str = ""
    duplicate: bool = False
    """True if the fault is a document id that another file has."""


class Sources(Sequence[Source]):
    """An immutable list of sources, compressed in blocks. The last block is cached, so that iteration in order is fast."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        rest = iter(sources)
        self._blocks: list[bytes] = []
        self._length = 0
        while block := list(islice(rest, _BLOCK)):
            rows = [[s.path, s.id, s.fault, s.duplicate] for s in block]
            self._blocks.append(zlib.compress(json.dumps(rows).encode(), 1))
            self._length += len(block)
        self._last: tuple[int, list[Source]] = (-1, [])

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> list[Source]: ...
    def __getitem__(self, index: int | slice) -> Source | list[Source]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        number = range(self._length)[index]
        return self._block(number // _BLOCK)[number % _BLOCK]

    def __iter__(self) -> Iterator[Source]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _block(self, number: int) -> list[Source]:
        cached, block = self._last
        if cached != number:
            block = [Source(*row) for row in json.loads(zlib.decompress(self._blocks[number]))]
            self._last = number, block
        return block

    def __repr__(self) -> str:
        return f"<Sources: {self._length:,} files>"
