"""Several readers as one, for `reader:` with a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...typesystem import Cas, FeatureStructure
from ..contract.component import CollectionReader
from ..contract.handle import Handle
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
                    self.failed.append((cas.id, DuplicateError(f"{reader.id}: an earlier document has the same id")))
                    continue
                yield cas

    def handles(self) -> Iterator[Handle] | None:
        """Return the handles of all readers; None if one of them does not have handles."""
        handles = [reader.handles() for reader in self.readers]
        return None if None in handles else self._handles([h for h in handles if h is not None])

    def _handles(self, of_readers: list[Iterator[Handle]]) -> Iterator[Handle]:
        for n, handles in enumerate(of_readers):
            for handle in handles:
                yield Handle(handle.id, (n, handle.data))

    def load(self, handle: tuple[int, Any]) -> Cas:
        n, data = handle
        return self.readers[n].load(data)


def _common(readers: list[CollectionReader]) -> tuple[type[FeatureStructure], ...]:
    """Return the types that every reader creates; `FeatureStructure` only if each of them may provide anything."""
    first, *others = [reader.outputs for reader in readers]
    return tuple(t for t in first if all(t in outputs or FeatureStructure in outputs for outputs in others))
