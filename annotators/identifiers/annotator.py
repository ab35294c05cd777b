"""The component `identifiers`: runs the rule files that ship with caspipe."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from typing import ClassVar

from ...pipeline.contract.component import Annotator, component
from ...pipeline.contract.resources import Resource, load
from ...pipeline.errors import Fault
from ...typesystem import Annotation, PhiCandidate, PhiKind, View
from ..patterns.annotator import as_annotations, check_confidence, sentences_of
from ..patterns.engine import RuleMatch, value_of
from ..patterns.rule_file import RuleFile
from .segments import segment_values
from .tables import Cell, table_values

_ABBREVIATIONS = frozenset(
    """alee apt av ave bldg blvd bvd cir cres crt ct dept dr e expy fl fwy hwy jr ln ltd n ne no nr nw pde pkwy pl pt rd rm rt
    rte s se sq sr st ste str sw ter terr tpke w""".split()
)

RULES = "identifiers"
"""The shipped rule file that includes all others."""

STRUCTURE_CONFIDENCE = 0.8
"""Confidence of values that a heading, a field or an element names."""


@component("identifiers", outputs=[PhiCandidate])
class IdentifierAnnotator(Annotator):
    """Marks phone and fax numbers, e-mail and web addresses, IP addresses, record, account, card, licence, device, case and
    national numbers, user names, street addresses, postal codes and coordinates; and the values of tables, HL7 segments, XML
    elements and JSON members by their headings, fields and names.

    Checksums and cue words raise the confidence of a match; a failed checksum never removes one. Lot and batch numbers,
    doses, laboratory values, dates and versions are not marked.
    """

    kinds: tuple[PhiKind, ...] = ()
    """Only these kinds and those below them are marked; empty for all."""
    min_confidence: float = 0.0
    """Matches with less confidence are dropped (0 to 1)."""

    implied: ClassVar[tuple[tuple[type[Resource], str], ...]] = ((RuleFile, RULES),)

    def __post_init__(self) -> None:
        check_confidence(self.min_confidence)

    @cached_property
    def rules(self) -> RuleFile:
        return load(RuleFile, RULES)

    def open(self) -> None:
        super().open()
        self.rules.matcher  # noqa: B018  compiled here, not in the first document

    def check(self) -> list[Fault]:
        """Return the faults of the shipped rules and of their examples."""
        return self.rules.faults()

    def annotate(self, view: View) -> Iterable[Annotation]:
        matches = self.rules.matcher.find(view.text, partial(sentences_of, view), kinds=self.kinds)
        cells = [*table_values(view.text), *segment_values(view.text)]
        if self.kinds:
            cells = [c for c in cells if any(c.kind.is_a(k) for k in self.kinds)]
        yield from as_annotations([without_full_stop(m, view.text) for m in matches], self.min_confidence)
        if self.min_confidence <= STRUCTURE_CONFIDENCE:
            yield from (_candidate(cell, view.text) for cell in cells)


def _candidate(cell: Cell, text: str) -> PhiCandidate:
    value = value_of(text[cell.begin : cell.end], "compact")
    return PhiCandidate(
        cell.begin, cell.end, kind=cell.kind, confidence=STRUCTURE_CONFIDENCE, value=value, rule=cell.rule
    )


def without_full_stop(match: RuleMatch, text: str) -> RuleMatch:
    """Remove the full stop of the sentence from a street address; the one of an abbreviation (`Blvd.`) stays."""
    if match.kind is not PhiKind.LOCATION_STREET or text[match.end - 1] != ".":
        return match
    last = text[match.begin : match.end - 1].split()[-1:]
    return match if not last or last[0].lower() in _ABBREVIATIONS else match._replace(end=match.end - 1)
