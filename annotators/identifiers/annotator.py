"""The component that finds identifiers by the rules that ship with caspipe."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar

from ...pipeline.contract.component import Annotator, component
from ...pipeline.contract.resources import Resource, load
from ...pipeline.errors import Fault
from ...typesystem import Annotation, PhiCandidate, PhiKind, View
from ..patterns.annotator import as_annotations, sentences_of
from ..patterns.engine import Hit
from ..patterns.rules import RuleFile

_ABBREVIATED = frozenset(
    """alee apt av ave bldg blvd bvd cir cres crt ct dept dr e expy fl fwy hwy jr ln ltd n ne no nr nw pde pkwy pl pt rd rm rt
    rte s se sq sr st ste str sw ter terr tpke w""".split()
)

RULES = "identifiers"
"""The shipped rule file that names all others."""


@component("identifiers", outputs=[PhiCandidate])
class IdentifierAnnotator(Annotator):
    """Marks phone and fax numbers, e-mail and web addresses, IP addresses, record, account, card, licence, device, case and
    national numbers, street addresses, postal codes, rooms and coordinates.

    Checksums and cue words raise the confidence of a hit; a failed checksum never takes one away. Lot and batch numbers,
    doses, laboratory values, dates and versions are left alone.
    """

    kinds: tuple[PhiKind, ...] = ()
    """Only these kinds and those below them are marked; empty for all."""
    min_confidence: float = 0.0
    """Hits below it are dropped (0 to 1)."""

    implied: ClassVar[tuple[tuple[type[Resource], str], ...]] = ((RuleFile, RULES),)

    def __post_init__(self) -> None:
        if not 0.0 <= self.min_confidence <= 1.0:
            raise ValueError(f"min_confidence: expected a number from 0 to 1, got {self.min_confidence}")

    @cached_property
    def rules(self) -> RuleFile:
        """The shipped rules, loaded once per process."""
        return load(RuleFile, RULES)

    def open(self) -> None:
        super().open()
        self.rules.matcher  # noqa: B018  compiled here, not in the first document

    def check(self) -> list[Fault]:
        """Faults of the shipped rules and of their examples."""
        return self.rules.faults()

    def annotate(self, view: View) -> Iterable[Annotation]:
        hits = self.rules.matcher.hits(view.text, sentences_of(view))
        if self.kinds:
            hits = [h for h in hits if h.kind is not None and any(h.kind.is_a(k) for k in self.kinds)]
        return as_annotations([without_full_stop(h, view.text) for h in hits], self.min_confidence)


def without_full_stop(hit: Hit, text: str) -> Hit:
    """A street address without the full stop that ends its sentence; one that ends an abbreviation (`Blvd.`) stays."""
    if hit.kind is not PhiKind.LOCATION_STREET or text[hit.end - 1] != ".":
        return hit
    last = text[hit.begin : hit.end - 1].split()[-1:]
    return hit if not last or last[0].lower() in _ABBREVIATED else hit._replace(end=hit.end - 1)
