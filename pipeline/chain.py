"""Several readers as one: their documents one reader after the other, as `reader:` with a list asks for."""

from __future__ import annotations

from collections.abc import Iterator

from ..typesystem import Cas, FeatureStructure
from .component import CollectionReader
from .errors import ReaderError


class Chain(CollectionReader):
    """The documents of several readers, in order. A document id that came before is a failure, as in one reader."""

    name = "chain"

    def __init__(self, readers: list[CollectionReader]) -> None:
        self.readers = readers
        self.outputs = _common(readers)  # type: ignore[misc]

    def open(self) -> None:
        for reader in self.readers:
            reader.failed = self.failed
            reader.open()

    def close(self) -> None:
        for reader in self.readers:
            reader.close()

    def __len__(self) -> int:
        return sum(map(len, self.readers))

    def __iter__(self) -> Iterator[Cas]:
        seen: set[str] = set()
        for reader in self.readers:
            for cas in reader:
                if cas.id and cas.id in seen:
                    self.failed.append((cas.id, ReaderError(f"{reader.id}: its document id was there before")))
                    continue
                seen.add(cas.id)
                yield cas


def _common(readers: list[CollectionReader]) -> tuple[type[FeatureStructure], ...]:
    """What every one of them makes; `FeatureStructure` only where each may bring anything."""
    first, *others = [reader.outputs for reader in readers]
    return tuple(t for t in first if all(t in made or FeatureStructure in made for made in others))
