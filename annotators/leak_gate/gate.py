"""The component that marks where the masked text still tells what was masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import Literal, cast

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import CasError
from ...typesystem import (
    DEIDENTIFIED_VIEW,
    INITIAL_VIEW,
    Cas,
    KnownPhi,
    Leak,
    MaskedSpan,
    MedicalTerm,
    OffsetMap,
    Phi,
    PhiCandidate,
    PhiKind,
    RecordField,
    View,
)
from ..identifiers import IdentifierAnnotator
from ..known_phi import KnownPhiAnnotator
from ..known_phi.folding import fold
from ..names.words import Words
from ..resolving import takes_part
from .leak import LeakSpan
from .masked_values import MaskedValue, MaskedValueFinder
from .visible_text import VisibleText, plain

Check = Literal["values", "known_phi", "rules"]

_VALUES = "PERSON LOCATION ORGANIZATION ID PHONE FAX EMAIL URL IP DATE AGE"
_NOT_VALUES = "LOCATION_DEPARTMENT LOCATION_ROOM"
_RULES = "ID PHONE FAX EMAIL URL IP"
_NAMED = ("PERSON", "LOCATION", "ORGANIZATION")
_MAY_EQUAL = frozenset("keep age year zip3 relative placeholder pseudonym redact".split())
"""Operators that write a part of the value on purpose, or nothing of it."""
_KEEP_FIELDS = frozenset("keep age year zip3".split())
"""Operators that may leave a structured field as it is."""
_DAY = len("2020-03-04")
_ENOUGH = 500
"""Places after which the search for values ends: the document is refused anyway."""


@component("leak_gate", inputs=[MaskedSpan], outputs=[Leak])
class LeakGate(AnalysisEngine):
    """Reads the masked text once more, outside the replacements, and marks (Leak) every value that was masked elsewhere, what
    the record knows, and what rules of high-risk kinds find. Whatever gives masked text away refuses a document with such a
    mark. The last engine, behind the masker.

    What the policy lets stand is no leak: a hit inside a Phi that the masker left readable. Nor is a rule's hit where a veto or
    a threshold of the resolver let a candidate go, or a name that is part of a medical term.
    """

    checks: tuple[Check, ...] = ("values", "known_phi", "rules")
    """What is checked of the text: values that were masked, `KnownPhi` of the record, rules; nothing where it is empty."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _VALUES.split()])
    """Masked values of these kinds and those below them are looked for."""
    without: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _NOT_VALUES.split()])
    """But not of these: their values are ordinary words and small numbers."""
    rules: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _RULES.split()])
    """Kinds of which no hit of the component `identifiers` may be left."""
    rules_confidence: float = 0.5
    """Hits of rules below it are let go (0 to 1)."""
    known_confidence: float = 0.7
    """Finds of known PHI below it are let go (0 to 1)."""
    shortest: int = 3
    """Shorter names are not looked for (letters)."""
    shortest_id: int = 5
    """Shorter numbers, codes and postal codes are not looked for (letters and digits)."""
    case: Literal["any", "capitals"] = "any"
    """How single names count: also in small letters where they are no English word, or only with a capital, as for texts in
    other languages."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """Which names are also ordinary words."""

    def __post_init__(self) -> None:
        for name in ("rules_confidence", "known_confidence"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {getattr(self, name)!r}")
        for name in ("shortest", "shortest_id"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name}: expected 2 or more, got {getattr(self, name)}")

    def open(self) -> None:
        super().open()
        if "rules" in self.checks:
            self._identifiers.open()
        if "known_phi" in self.checks:
            self._known.open()

    @cached_property
    def _identifiers(self) -> IdentifierAnnotator:
        return IdentifierAnnotator(kinds=tuple(self.rules), min_confidence=self.rules_confidence)

    @cached_property
    def _known(self) -> KnownPhiAnnotator:
        return KnownPhiAnnotator(words=self.words)

    def process(self, cas: Cas) -> None:
        """Marks what leaks. A document without masked text passes: consumers refuse to write it."""
        if not cas.has_view(DEIDENTIFIED_VIEW):
            return
        if not cas.has_view(INITIAL_VIEW):
            raise CasError(f"{self.id}: no view {INITIAL_VIEW} to compare the masked text with")
        leaks = [*self._in_text(cas), *_in_fields(cas)]
        view = cas.view(DEIDENTIFIED_VIEW)
        view.remove_from_source([Leak], self.id)
        for hit in _outermost(leaks):
            leak = Leak(hit.begin, hit.end, kind=hit.kind, check=hit.check)
            leak._source = self.id
            view.add(leak)

    def _in_text(self, cas: Cas) -> Iterator[LeakSpan]:
        initial, masked = cas.view(), cas.view(DEIDENTIFIED_VIEW)
        spans = masked.select(MaskedSpan)
        readable = VisibleText(masked.text, [s.begin for s in spans], [s.end for s in spans])
        hits: list[LeakSpan] = []
        if "values" in self.checks:
            yield from _unchanged(initial, masked, spans)
            hits += islice(self._values(cas, spans, readable), _ENOUGH)
        if "known_phi" in self.checks:
            hits += self._known_phi(initial, readable)
        if "rules" in self.checks:
            hits += self._rules(masked, readable)
        if hits:
            yield from _Allowed(initial, masked, spans).less(hits)

    def _values(self, cas: Cas, spans: list[MaskedSpan], readable: VisibleText) -> Iterator[LeakSpan]:
        values = list(self._masked(cas, spans))
        if not values:
            return
        for variant in readable.variants():
            sought = MaskedValueFinder(
                variant.document, self.words, self.shortest, self.shortest_id, self.case == "any"
            )
            for value in values:
                for hit in sought.find(value):
                    begin, end = variant.place(hit.begin, hit.end)
                    yield LeakSpan(begin, end, value.kind, "values")

    def _masked(self, cas: Cas, spans: list[MaskedSpan]) -> Iterable[MaskedValue]:
        """Every value that was masked, once, in text order, then those of the record."""
        text, wanted = cas.text, self._wanted
        normal = {p.begin: p.value for p in cas.select(Phi) if p.value}
        found: dict[tuple[str, str], MaskedValue] = {}
        for span in spans:
            begin, kind = span.original_begin, span.kind
            original = text[begin : span.original_end]
            key = (kind.name, original)
            if key not in found and wanted[kind]:
                found[key] = MaskedValue(kind, original, normal.get(begin, ""))
        for item in cas.select(RecordField):
            if item.operator and item.masked != item.value and wanted[item.kind]:
                found.setdefault((item.kind.name, item.value), MaskedValue(item.kind, item.value, item.value))
        return found.values()

    @cached_property
    def _wanted(self) -> _Wanted:
        return _Wanted(self.kinds, self.without)

    def _known_phi(self, initial: View, readable: VisibleText) -> Iterator[LeakSpan]:
        known = initial.select(KnownPhi)
        if not known:
            return
        for variant in readable.variants():
            scratch = Cas(variant.document.text).view()
            scratch.fill(KnownPhi, known)
            for c in self._known.annotate(scratch):
                if c.confidence >= self.known_confidence and c.kind is not PhiKind.AGE:
                    yield LeakSpan(*variant.place(c.begin, c.end), c.kind, "known_phi")

    def _rules(self, masked: View, readable: VisibleText) -> Iterator[LeakSpan]:
        for c in self._identifiers.annotate(masked):
            if isinstance(c, PhiCandidate) and readable.letters(c.begin, c.end) >= self.shortest_id:
                yield LeakSpan(c.begin, c.end, c.kind, "rules")


class _Wanted(dict[PhiKind, bool]):
    """Whether values of a kind are looked for; filled as kinds come up."""

    def __init__(self, kinds: Iterable[PhiKind], without: Iterable[PhiKind]) -> None:
        super().__init__()
        self._kinds, self._without = tuple(kinds), tuple(without)

    def __missing__(self, kind: PhiKind) -> bool:
        wanted = self[kind] = any(map(kind.is_a, self._kinds)) and not any(map(kind.is_a, self._without))
        return wanted


class _Allowed:
    """What was left readable on purpose."""

    def __init__(self, initial: View, masked: View, spans: list[MaskedSpan]) -> None:
        self.initial = initial
        self.text = masked.text
        self.offsets = masked.offset_map or OffsetMap(
            (s.original_begin, s.original_end, s.end - s.begin) for s in spans
        )
        self.masked = spans

    def less(self, hits: Iterable[LeakSpan]) -> Iterator[LeakSpan]:
        """The hits that nobody meant to leave readable. What is not in the original text nobody can have meant."""
        for hit in hits:
            begin, end = self.offsets.to_old(hit.begin, hit.end)
            same = self.initial.text[begin:end] == self.text[hit.begin : hit.end]
            if not same or not (self._kept(begin, end) or self._let_go(hit, begin, end)):
                yield hit

    def _kept(self, begin: int, end: int) -> bool:
        """Whether the place lies within a Phi of which nothing was masked."""
        return any(
            not any(s.original_begin < phi.end and phi.begin < s.original_end for s in self.masked)
            for phi in self.initial.select(Phi, covering=(begin, end))
        )

    def _let_go(self, hit: LeakSpan, begin: int, end: int) -> bool:
        if hit.check == "values" and hit.kind.top.name in _NAMED:
            return any(t.end - t.begin > end - begin for t in self.initial.select(MedicalTerm, covering=(begin, end)))
        if hit.check != "rules":
            return False
        return any(not takes_part(c) for c in self.initial.select(PhiCandidate, covering=(begin, end)))


def _unchanged(initial: View, masked: View, spans: list[MaskedSpan]) -> Iterator[LeakSpan]:
    """Replacements that are the value itself, where the operator was to write something else. Of dates only those in full
    count: a year that is moved by a week is mostly the same year."""
    for span in spans:
        if span.fallback or span.operator in _MAY_EQUAL or span.kind.top is PhiKind.DATE:
            continue
        old, new = initial.text[span.original_begin : span.original_end], masked.text[span.begin : span.end]
        if old[:1].isalnum() and fold(plain(new)).split() == fold(plain(old)).split():
            yield LeakSpan(span.begin, span.end, span.kind, "values")


def _in_fields(cas: Cas) -> Iterator[LeakSpan]:
    """Structured fields that no masker decided about, or whose masked form is the value itself. Years and months may be
    moved onto themselves."""
    for item in cas.select(RecordField):
        same = item.masked == item.value and item.operator not in _KEEP_FIELDS
        if not item.operator or (same and (item.kind.top is not PhiKind.DATE or len(item.value) >= _DAY)):
            yield LeakSpan(0, 0, item.kind, "fields")


def _outermost(leaks: Iterable[LeakSpan]) -> Iterator[LeakSpan]:
    """In text order, without those inside another one; of equal places the first check speaks."""
    end = 0
    for leak in sorted(leaks, key=lambda x: (x.begin, -x.end)):
        if leak.end > end or leak.check == "fields":
            end = leak.end
            yield leak
