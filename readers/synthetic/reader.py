"""Reader that generates its documents: synthetic narratives with gold spans."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property

from ...pipeline.contract.component import CollectionReader, component
from ...pipeline.errors import ReaderError
from ...typesystem import GOLD_VIEW, Cas, KnownPhi, Phi, PhiKind
from .document import Document, Maker, check


@component("synthetic", outputs=[Phi, KnownPhi])
class SyntheticReader(CollectionReader):
    """Generates clinical and pharmacovigilance narratives from templates, with their PHI in the view `gold`.

    Document i of a seed is always the same, independent of the number of documents, their order and the process.
    Metadata: `layout`, `language`.
    """

    documents: int = 1000
    """Number of documents."""
    first: int = 0
    """Number of the first document. Several runs can share the work: 0 to 999, 1000 to 1999 ..."""
    seed: int = 1
    """Different seeds give different documents."""
    languages: list[str] = dataclasses.field(default_factory=lambda: ["en"])
    """Languages of the templates; each document is in one of them."""
    layouts: dict[str, float] = dataclasses.field(default_factory=dict)
    """Weights of layouts, as in `{discharge_summary: 2, vaers_consumer: 1}`. By default all, with their own weights."""
    noise: float = 0.3
    """From 0 (clean) to 1: typing errors, missing and doubled spaces, case, abbreviations, wrapped lines, scanning errors."""
    phi_density: float = 1.0
    """Weight of sentences with PHI relative to those without, if a template can choose; 0 for no such sentences."""
    unlisted: float = 0.4
    """Share of people whose surname is in no list but built from syllables, so that a model learns context, not lists."""
    known: bool = False
    """Add what a hospital's record would say (`KnownPhi`): the patient's name, birth date, age, town and record numbers, and
    the names of the hospital's doctors, some of whom do not occur in the document. The documents stay the same."""

    def __post_init__(self) -> None:
        for name in ("documents", "first"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, got {getattr(self, name)}")
        check(self.languages, self.layouts, self.noise, self.phi_density, self.unlisted)

    @cached_property
    def maker(self) -> Maker:
        """The generator of the documents. Raises ReaderError for unknown layouts."""
        try:
            return Maker(
                self.seed,
                self.languages,
                self.layouts,
                noise=self.noise,
                phi_density=self.phi_density,
                unlisted=self.unlisted,
                known=self.known,
            )
        except ValueError as error:
            raise ReaderError(f"reader {self.id}: {error}") from None

    def open(self) -> None:
        super().open()
        _ = self.maker

    def __len__(self) -> int:
        return self.documents

    def __bool__(self) -> bool:
        return True  # not the length: a reader of no documents is still a reader

    def __iter__(self) -> Iterator[Cas]:
        for number in range(self.first, self.first + self.documents):
            yield cas_of(self.maker.document(number))


def cas_of(document: Document) -> Cas:
    """Return the document as a CAS, with KnownPhi in the initial view and Phi in the view `gold`."""
    cas = Cas(document.text, id=document.id)
    cas.metadata.update(layout=document.layout, language=document.language)
    for kind, value, role, field in document.known:
        cas.add(KnownPhi(kind=PhiKind.of(kind), value=value, provenance=field, role=role))
    gold = cas.create_view(GOLD_VIEW, document.text)
    gold.add_all(Phi(begin, end, kind=PhiKind.of(kind)) for begin, end, kind in document.spans)
    return cas
