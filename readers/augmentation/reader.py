"""Reader that adds augmented copies to the documents of another reader."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ...pipeline.contract.component import CollectionReader, component
from ...pipeline.errors import Fault, ReaderError
from ...typesystem import Cas, Phi
from ..synthetic.draws import Draws
from .case import recased
from .noise import roughened
from .options import Case, Noise, Structure, Wrap, check_shares
from .pieces import Piece, document_of, merged, pieces_of
from .structure import restructured
from .substitution.corpus import Corpus
from .substitution.substitute import substituted
from .wrapping import rewrapped

MOST = 1000
"""Greatest number of copies of a document."""


@component("augment", outputs=[Phi])
class AugmentReader(CollectionReader):
    """Adds copies to the annotated documents of another reader: other values in the gold spans, other case, line widths, errors
    and forms of fields. The gold spans of the copies are exact.

    Copy 2 of the document `ID` is `ID~2`; its metadata name the document (`augmented_from`). A copy depends only on the seed,
    the id and text of its document and, with `pool`, on the values of the corpus. It has a text, gold spans and the metadata of
    its document, but nothing else.
    """

    reader: CollectionReader
    """The reader of the documents, with reference annotations in the view `gold`."""
    copies: int = 3
    """Number of copies of each document."""
    originals: bool = True
    """Yield the documents themselves, too, each before its copies."""
    seed: int = 1
    """Different seeds give different copies."""
    substitute: float = 0.9
    """Share of people, and of other values, that are replaced by other values of their kind through a document."""
    pool: float = 0.3
    """Share of the replacements that come from other documents of the reader; if above 0, it is read twice."""
    case: Case = dataclasses.field(default_factory=Case)
    """Shares of copies in lower or upper case."""
    wrap: Wrap = dataclasses.field(default_factory=Wrap)
    """Wrapped lines."""
    noise: Noise = dataclasses.field(default_factory=Noise)
    """Errors of typing and scanning."""
    structure: Structure = dataclasses.field(default_factory=Structure)
    """Other forms of blocks of fields."""

    def __post_init__(self) -> None:
        if not 1 <= self.copies <= MOST:
            raise ValueError(f"copies: expected a number from 1 to {MOST}, got {self.copies}")
        check_shares(self, "substitute", "pool")
        self.outputs = self.reader.outputs  # type: ignore[misc]
        self._corpus: Corpus | None = None

    def open(self) -> None:
        super().open()
        self.reader.failed = self.failed
        self.reader.open()

    def close(self) -> None:
        self.reader.close()
        super().close()

    def check(self) -> list[Fault]:
        return self.reader.check()

    def may_fork(self) -> bool:
        return self.reader.may_fork()

    def __len__(self) -> int:
        return len(self.reader) * (self.copies + self.originals)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Cas]:
        corpus = self._seen() if self.pool and self.substitute else Corpus()
        self.reader.failed = self.failed
        for cas in self.reader:
            copied = self._copies(cas, corpus)  # before the original leaves: a run changes it
            if self.originals:
                yield cas
            yield from copied

    def _seen(self) -> Corpus:
        """Return the values of all documents. Documents that cannot be read or copied are reported by the second pass."""
        if self._corpus is None:
            self._corpus = Corpus()
            self.reader.failed = []
            for cas in self.reader:
                try:
                    self._corpus.add(pieces_of(cas))
                except ReaderError:
                    continue
        return self._corpus

    def _copies(self, cas: Cas, corpus: Corpus) -> list[Cas]:
        try:
            pieces = pieces_of(cas)
        except ReaderError as error:
            self.failed.append((f"{cas.id}~1", error))
            return []
        copies = []
        for number in range(1, self.copies + 1):
            copy = document_of(self.changed(pieces, f"{cas.id}\0{number}", corpus), f"{cas.id}~{number}")
            copy.metadata = {**cas.metadata, "augmented_from": cas.id}
            copies.append(copy)
        return copies

    def changed(self, pieces: Sequence[Piece], name: str, corpus: Corpus) -> list[Piece]:
        """Return the pieces of one copy. `name` determines it together with the seed."""

        def draws(purpose: str) -> Draws:
            return Draws(self.seed, name, purpose)

        found = list(pieces)
        if self.substitute:
            found = substituted(found, draws("substitute"), corpus, share=self.substitute, pool=self.pool)
        form = draws("structure")
        if form.chance(self.structure.share):
            found = restructured(found, form.pick(self.structure.forms), lambda: draws("form"))
        found = recased(found, draws("case"), self.case)
        found = roughened(merged(found), draws("noise"), self.noise)
        return rewrapped(found, draws("wrap"), self.wrap)
