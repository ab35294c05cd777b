"""Several readers as one, for `reader:` with a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...typesystem import Cas, FeatureStructure
from ..contract.component import CollectionReader, Handle
from ..errors import DuplicateError
from ..storage.digest_set import Digests


class Chain(CollectionReader):
    """Yields the documents of several readers in order. A duplicate document id is a failure, as in a single reader."""

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
        seen = Digests()
        for reader in self.readers:
            for cas in reader:
                if cas.id and not seen.add(cas.id):
                    self.failed.append((cas.id, DuplicateError(_twice(reader))))
                    continue
                yield cas

    def handles(self) -> Iterator[Handle] | None:
        """Return the handles of all readers; None if one of them does not have handles."""
        found = [reader.handles() for reader in self.readers]
        return None if None in found else self._handles([h for h in found if h is not None])

    def _handles(self, found: list[Iterator[Handle]]) -> Iterator[Handle]:
        seen = Digests()
        for n, handles in enumerate(found):
            for handle in handles:
                twice = bool(handle.id) and not seen.add(handle.id)
                yield Handle(handle.id, (n, twice, handle.data))

    def load(self, handle: tuple[int, bool, Any]) -> Cas:
        n, twice, data = handle
        if twice:
            raise DuplicateError(_twice(self.readers[n]))
        return self.readers[n].load(data)


def _twice(reader: CollectionReader) -> str:
    return f"{reader.id}: its document id was there before"


def _common(readers: list[CollectionReader]) -> tuple[type[FeatureStructure], ...]:
    """Return the types that every reader creates; `FeatureStructure` only if each of them may provide anything."""
    first, *others = [reader.outputs for reader in readers]
    return tuple(t for t in first if all(t in made or FeatureStructure in made for made in others))
