"""The component that marks masked values which the masked text still contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import Literal, cast

from ...pipeline.contract.component import AnalysisEngine, Component, component
from ...pipeline.errors import CasError
from ...typesystem import (
    DEIDENTIFIED_VIEW,
    INITIAL_VIEW,
    Cas,
    KnownPhi,
    Leak,
    MaskedSpan,
    Phi,
    PhiCandidate,
    PhiKind,
    RecordField,
    View,
)
from ..identifiers import IdentifierAnnotator
from ..known_phi import KnownPhiAnnotator
from ..known_phi.searchable_text import fold
from ..names.words import Words
from ..site_lists import SiteLists
from .divided_words import ValueWords, find_divided_words
from .half_masked_words import find_half_masked
from .leak_span import LeakSpan, outermost
from .masked_values import MaskedValue, MaskedValueFinder
from .permitted_text import PermittedText
from .repair import REPEATED, add_missed, offsets_of
from .visible_text import VisibleText, plain

Check = Literal["values", "known_phi", "rules", "site"]

_VALUES = "PERSON LOCATION ORGANIZATION ID PHONE FAX EMAIL URL IP DATE AGE"
_NOT_VALUES = "LOCATION_DEPARTMENT LOCATION_ROOM"
_RULES = "ID PHONE FAX EMAIL URL IP"
_MAY_EQUAL = frozenset("keep age year zip3 relative placeholder pseudonym redact".split())
"""Operators that write a part of the value on purpose, or nothing of it."""
_KEEP_FIELDS = frozenset("keep age year zip3".split())
"""Operators that may leave a structured field as it is."""
_DAY = len("2020-03-04")
_LEAST_MATCHES = 500
_CHARACTERS_PER_MATCH = 20
"""The search for values ends after this many matches, and one more for this many characters, so that its time stays proportional
to the text. The next round of repair continues it; without repair the document is refused anyway."""
_ROUNDS = 8
"""Rounds of repair after which a document is refused. New Phi change the context of other words; two rounds are usual."""


@component("leak_gate", inputs=[MaskedSpan], outputs=[Leak])
class LeakGate(AnalysisEngine):
    """Searches the masked text, outside the replacements, for every value that was masked elsewhere, every value of the record,
    every match of rules for high-risk kinds, and every word that the list of a site denies. It adds a Phi for each and has the
    masker mask the text again, until nothing is found. What cannot be repaired is marked (Leak): consumers that release masked
    text refuse a document with such a mark. It is the last engine, directly after the masker.

    Text that the policy keeps is not a leak: a match inside a Phi that the masker left readable. Neither is a match of a rule
    whose candidate was excluded by a veto or a threshold of the resolver, a name that is part of a medical term, nor a word that
    the list of a site allows there.
    """

    checks: tuple[Check, ...] = ("values", "known_phi", "rules", "site")
    """Checks of the text: values that were masked, `KnownPhi` of the record, rules, words that the list of a site denies; none
    if empty."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _VALUES.split()])
    """Search for masked values of these kinds, those below them, and kinds that a configuration or corpus declares."""
    without: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _NOT_VALUES.split()])
    """But not of these: their values are ordinary words and small numbers."""
    rules: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(k) for k in _RULES.split()])
    """Kinds of which the component `identifiers` must not find any."""
    rules_confidence: float = 0.5
    """Matches of rules with less confidence are ignored (0 to 1)."""
    known_confidence: float = 0.7
    """Matches of known PHI with less confidence are ignored (0 to 1)."""
    shortest: int = 3
    """Shorter names are not searched for (letters)."""
    shortest_id: int = 5
    """Shorter numbers, codes and postal codes are not searched for (letters and digits)."""
    case: Literal["any", "capitals"] = "any"
    """How single names count: also in small letters if they are not English words, or only with a capital, as for texts in
    other languages."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """Lists of words that decide which names are also ordinary words."""
    repair: bool = True
    """Mask what was found, with the masker of the pipeline, and refuse only what cannot be masked. If false, every find is a
    refusal."""

    _masker = cast("AnalysisEngine | None", None)  # the masker before it, once it is bound
    _site = cast("SiteLists | None", None)  # the engine with the list of a site, once it is bound

    def __post_init__(self) -> None:
        for name in ("rules_confidence", "known_confidence"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {getattr(self, name)!r}")
        for name in ("shortest", "shortest_id"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name}: expected 2 or more, got {getattr(self, name)}")

    def bind(self, earlier: Sequence[Component]) -> str:
        """Receive the masker that masks the text again. It must be the engine before, so that no result of others is lost."""
        self._masker = None
        self._site = next((engine for engine in earlier if isinstance(engine, SiteLists)), None)
        if not self.repair:
            return ""
        before = [e for e in earlier if not isinstance(e, LeakGate)]
        maskers = [e for e in before if isinstance(e, AnalysisEngine) and MaskedSpan in e.outputs]
        if not maskers:
            return "repair needs a masker before it, found none; add one, or set repair: false"
        if before[-1] is not maskers[-1]:
            return f"repair needs the masker directly before it, found {before[-1].id} between; set repair: false, or move it"
        self._masker = maskers[-1]
        return ""

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
        """Mark leaks. A document without masked text passes: consumers refuse to write it."""
        if not cas.has_view(DEIDENTIFIED_VIEW):
            return
        if not cas.has_view(INITIAL_VIEW):
            raise CasError(f"{self.id}: no view {INITIAL_VIEW} to compare the masked text with")
        leaks = self._leaks(cas)
        rounds = _ROUNDS if self._masker else 0
        while leaks and rounds and self._repair_once(cas, leaks):
            leaks = self._leaks(cas)
            rounds -= 1
        view = cas.view(DEIDENTIFIED_VIEW)
        view.remove_from_source([Leak], self.id)
        offsets = offsets_of(view)
        for span in leaks:
            leak = Leak(span.begin, span.end, kind=span.kind, check=span.check)
            if span.check != "fields":
                leak.original_begin, leak.original_end = offsets.to_old(span.begin, span.end)
            view.add(leak.set_source(self.id))

    def _repair_once(self, cas: Cas, leaks: list[LeakSpan]) -> bool:
        """Add the missed Phi and mask the text again. Returns whether there was anything to add."""
        if self._masker is None or not add_missed(cas.view(), cas.view(DEIDENTIFIED_VIEW), leaks, self.id):
            return False
        self._masker.process(cas)
        return True

    def _leaks(self, cas: Cas) -> list[LeakSpan]:
        return outermost([*self._in_text(cas), *_in_fields(cas)])

    def _in_text(self, cas: Cas) -> Iterator[LeakSpan]:
        initial, masked = cas.view(), cas.view(DEIDENTIFIED_VIEW)
        spans = masked.rows(MaskedSpan)
        readable = VisibleText(masked.text, *masked.spans(MaskedSpan))
        leaks: list[LeakSpan] = []
        if "values" in self.checks:
            yield from _unchanged(initial, masked, spans)
            most = _LEAST_MATCHES + len(masked.text) // _CHARACTERS_PER_MATCH
            leaks += islice(self._values(cas, spans, readable), most)
        if "known_phi" in self.checks:
            leaks += self._known_phi(initial, readable)
        if "rules" in self.checks:
            leaks += self._rules(masked, readable)
        if "site" in self.checks:
            leaks += self._denied(readable)
        if leaks:
            yield from PermittedText(initial, masked, self.id).without_permitted(leaks)

    def _values(self, cas: Cas, spans: Sequence[MaskedSpan], readable: VisibleText) -> Iterator[LeakSpan]:
        values = list(self._masked_values(cas, spans))
        if not values:
            return
        to_new = offsets_of(cas.view(DEIDENTIFIED_VIEW)).to_new
        table = ValueWords(values, self.words)
        for half in find_half_masked(cas.text, spans, table):
            yield LeakSpan(*to_new(half.begin, half.end), half.kind, "values")
        for number, variant in enumerate(readable.variants()):
            document = variant.document
            if not number:
                for word in find_divided_words(document, table):
                    yield LeakSpan(*variant.original_span(word.begin, word.end), word.kind, "values")
            finder = MaskedValueFinder(document, self.words, self.shortest, self.shortest_id, self.case == "any")
            for value in values:
                for match in finder.find(value):
                    yield LeakSpan(*variant.original_span(match.begin, match.end), value.kind, "values")

    def _masked_values(self, cas: Cas, spans: Sequence[MaskedSpan]) -> Iterable[MaskedValue]:
        """Return every value that was masked, once, in text order, then those of the record."""
        text = cas.text
        phi = cas.select(Phi)
        normalized = {p.begin: p.value for p in phi if p.value}
        repeated = {p.begin for p in phi if p.reason == REPEATED}  # another form of a value that is searched for
        values: dict[tuple[str, str], MaskedValue] = {}
        for span in spans:
            begin, kind = span.original_begin, span.kind
            original = text[begin : span.original_end]
            if self._is_wanted(kind) and begin not in repeated:
                values.setdefault((kind.name, original), MaskedValue(kind, original, normalized.get(begin, "")))
        for item in cas.select(RecordField):
            if item.operator and item.masked != item.value and self._is_wanted(item.kind):
                values.setdefault((item.kind.name, item.value), MaskedValue(item.kind, item.value, item.value))
        return values.values()

    def _is_wanted(self, kind: PhiKind) -> bool:
        return (kind.top.own or any(map(kind.is_a, self.kinds))) and not any(map(kind.is_a, self.without))

    def _known_phi(self, initial: View, readable: VisibleText) -> Iterator[LeakSpan]:
        known = initial.select(KnownPhi)
        if not known:
            return
        for variant in readable.variants():
            scratch = Cas(variant.document.text).view()
            scratch.fill(KnownPhi, known)
            for c in self._known.annotate(scratch):
                if c.confidence >= self.known_confidence and c.kind is not PhiKind.AGE:
                    yield LeakSpan(*variant.original_span(c.begin, c.end), c.kind, "known_phi")

    def _rules(self, masked: View, readable: VisibleText) -> Iterator[LeakSpan]:
        for c in self._identifiers.annotate(masked):
            if isinstance(c, PhiCandidate) and readable.count_letters(c.begin, c.end) >= self.shortest_id:
                yield LeakSpan(c.begin, c.end, c.kind, "rules")

    def _denied(self, readable: VisibleText) -> Iterator[LeakSpan]:
        lists = self._site.lists if self._site is not None else None
        if lists is None:
            return
        for variant in readable.variants():
            for begin, end, entry in lists.find(variant.document.text).deny:
                yield LeakSpan(*variant.original_span(begin, end), entry.kind or PhiKind.OTHER, "site")


def _unchanged(initial: View, masked: View, spans: Sequence[MaskedSpan]) -> Iterator[LeakSpan]:
    """Yield replacements that are the value itself although the operator should write something else.

    Dates do not count: a year that is shifted by a week is usually the same year.
    """
    for span in spans:
        if span.fallback or span.operator in _MAY_EQUAL or span.kind.top is PhiKind.DATE:
            continue
        old, new = initial.text[span.original_begin : span.original_end], masked.text[span.begin : span.end]
        if old[:1].isalnum() and fold(plain(new)).split() == fold(plain(old)).split():
            yield LeakSpan(span.begin, span.end, span.kind, "values")


def _in_fields(cas: Cas) -> Iterator[LeakSpan]:
    """Yield structured fields that no masker processed, or whose masked form is the value itself. Shifted years and months may
    be the same."""
    for item in cas.select(RecordField):
        same = item.masked == item.value and item.operator not in _KEEP_FIELDS
        if not item.operator or (same and (item.kind.top is not PhiKind.DATE or len(item.value) >= _DAY)):
            yield LeakSpan(0, 0, item.kind, "fields")
