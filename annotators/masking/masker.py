"""The masker: writes the deidentified view, in which operators replace every PHI span."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast, overload

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.contract.report import NO_PATIENT, PATIENT_STATE, SEVERAL_PATIENTS
from ...pipeline.errors import CasError
from ...typesystem import (
    DEIDENTIFIED_VIEW,
    INITIAL_VIEW,
    Cas,
    FeatureStructure,
    MaskedSpan,
    MedicalTerm,
    OffsetMap,
    Phi,
    PhiKind,
    Policy,
    RecordField,
    Replacement,
    View,
    replace_spans,
    source_record,
)
from ...typesystem.text import MANY
from .annotation_copies import copy_annotations
from .calendar_contract import OLDEST, CalendarContract
from .document_dates import DocumentDates
from .operator import KEPT, NO_KEY, Context, Fallback, Mention, MissingKeyWarning, Operator, Outcome, Span
from .operators.age import Age
from .operators.placeholder import Placeholder
from .operators.surrogate import Surrogate
from .readable_overlaps import mask_overlaps
from .surrogate_style import require_key, surrogate_of, with_surrogates
from .surrogates.articles import article_before


@dataclass(frozen=True, slots=True)
class _PlannedReplacement:
    """One replacement to be made."""

    begin: int
    end: int
    text: str
    kind: PhiKind
    operator: str
    fallback: str = ""
    reads_as_text: bool = False


class _Spans(Sequence[Span]):
    """The spans of replacements, without a list of them."""

    def __init__(self, planned: Sequence[_PlannedReplacement]) -> None:
        self._planned = planned

    def __len__(self) -> int:
        return len(self._planned)

    @overload
    def __getitem__(self, at: int) -> Span: ...
    @overload
    def __getitem__(self, at: slice) -> list[Span]: ...
    def __getitem__(self, at: int | slice) -> Span | list[Span]:
        if isinstance(at, slice):
            return [(r.begin, r.end) for r in self._planned[at]]
        return self._planned[at].begin, self._planned[at].end

    def __iter__(self) -> Iterator[Span]:
        return ((r.begin, r.end) for r in self._planned)


@component("masker", inputs=[Phi], outputs=[MaskedSpan], sets=["Phi:value"], extra_field="kinds")
class Masker(AnalysisEngine):
    """Creates the `deidentified` view: the text with each Phi replaced, an offset map to the original, a MaskedSpan for each
    replacement, and copies of the other annotations. Running it again replaces the view.

    If a Phi would stay readable (`keep`, an age at or below the threshold, a kind outside the policy) but a candidate of a
    masked kind overlaps it, the text of that candidate is masked (law 3).

    The `value` of each Phi of a date or an age becomes what decided about its replacement: the date in the order of day and month
    that most dates of the document have, the age that was compared with the threshold; empty if it cannot be parsed.

    The structured fields of the record (RecordField) are treated in the same way: dates move by the document's own offset;
    values without a masked form become null.
    """

    kinds: dict[PhiKind, Operator] = field(default_factory=dict)
    """Operator for each kind, `DATE: {shift: {...}}`; a kind without one uses its parent's."""
    default: Operator = field(default_factory=Placeholder)
    """Operator of all other kinds."""
    surrogates: bool = False
    """Write surrogates where `kinds` and `default` say placeholder or age, and shifted dates in the layout of the text.
    They use the key of the configured operator that has one, such as `DATE: {shift: {key: ...}}`; without it the pipeline
    does not open."""
    policy: str | dict[Literal["keep", "mask"], list[PhiKind]] = "everything"
    """Kinds that are masked: the name of a policy, or one of your own, `{keep: [DATE], mask: [DATE_BIRTH]}`: everything is
    masked except the kinds that `keep` names and those below them, unless `mask` names them."""
    patient: Literal["record", "text"] = "record"
    """The owner of the shifts and pseudonyms of a document: the patient that its metadata or known PHI name (`record`), or else
    the medical record number in its text (`text`). A text without one, or with several, has its own; the run counts these."""
    terms: Operator | None = None
    """Operator for the medical terms (MedicalTerm) that no Phi overlaps, such as `concept`; null: they stay as they are. Their
    MaskedSpan has the kind OTHER."""
    carry: bool | list[str] = True
    """Annotations copied to the deidentified view: sentences, tokens, chunks and medical terms; none; or types by name."""

    _warned: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        _ = self._policy
        if self.surrogates:
            _ = self._surrogate

    @cached_property
    def _policy(self) -> Policy:
        if isinstance(self.policy, str):
            return Policy.of(self.policy)
        kept, masked = (frozenset(k.name for k in self.policy.get(what, [])) for what in ("keep", "mask"))
        if not kept:
            raise ValueError("policy: expected kinds to keep; everything that is not kept is masked")
        return Policy("own", keep=kept, mask=masked)

    @cached_property
    def _placeholder(self) -> Placeholder:
        return self.default if isinstance(self.default, Placeholder) else Placeholder()

    @cached_property
    def _surrogate(self) -> Surrogate:
        return surrogate_of(self.kinds, self.default)

    @cached_property
    def _in_text(self) -> tuple[dict[PhiKind, Operator], Operator]:
        """Return the operators of the text: those of the kinds, and that of all others."""
        return (
            (with_surrogates(self.kinds, self._surrogate), self._surrogate)
            if self.surrogates
            else (self.kinds, self.default)
        )

    def open(self) -> None:
        super().open()
        kinds, default = self._in_text
        for operator in (*self.kinds.values(), self.default, self.terms, *kinds.values(), default):
            if operator is not None:
                operator.open()
        if self.surrogates:
            require_key(self._surrogate, self.id)

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (Phi,) if self.terms is None else (Phi, MedicalTerm)

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        return "terms" if need is MedicalTerm else ""

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        if cas.has_view(DEIDENTIFIED_VIEW):  # first, so that nothing of an earlier run remains if this one fails
            cas.drop_view(DEIDENTIFIED_VIEW)
        view = cas.view()
        spans = view.select(Phi)
        for before, after in itertools.pairwise(spans):
            if after.begin < before.end:
                raise CasError(f"{before!r} and {after!r} overlap: a resolver must run before the masker")
        spans = [p for p in spans if p.begin < p.end]
        context = Context(cas, _mentions(spans), patient_in_text=self.patient == "text")
        self._note_patient(cas, context)
        self._write(cas, context)
        once = dict[str, str]()  # many values are equal: each is one string
        for phi, mention in zip(spans, context.mentions, strict=True):
            value = self._normalized(mention, context)
            phi.value = once.setdefault(value, value)
        for item in view.select(RecordField):
            operator = self._operator(item.kind, self.kinds, self.default)
            item.masked = item.value if operator is None else operator.field(item.value, item.kind, context)
            item.operator = "keep" if operator is None else operator.name
            told = item.kind.top in (PhiKind.DATE, PhiKind.AGE) and not (operator is not None and operator.hides)
            if told and item.path.startswith(
                source_record.NAMED
            ):  # those of case reports and FHIR see the whole patient
                contract = CalendarContract.of(context, self._oldest)
                item.masked = None if contract.hides_field(item.value, item.kind) else item.masked

    def _write(self, cas: Cas, context: Context) -> None:
        """Make the view of the masked text. What is planned is not kept, because it takes much memory."""
        view = cas.view()
        planned = [r for mention in context.mentions for r in self._plan(mention, context)]
        planned += self._of_terms(view, context)
        planned.sort(key=lambda r: r.begin)
        planned = list(_with_articles(view.text, _separate(planned)))
        text, offsets = replace_spans(view.text, (Replacement(r.begin, r.end, r.text) for r in planned))
        target = cas.create_view(DEIDENTIFIED_VIEW, text)
        target.offset_map = offsets
        _add_masked(target, planned, offsets, self.id)
        dates = self._operator(PhiKind.DATE, *self._in_text)
        if dates is not None:
            written = [r for r in planned if not r.fallback]
            cas.metadata.update(dates.disclose(context, _Spans(written), _Spans(planned)))
        if self.carry:
            copy_annotations(view, target, None if self.carry is True else self.carry)
            if self.terms is not None and self.carry is True:
                _add_replaced_terms(view, target)

    def _note_patient(self, cas: Cas, context: Context) -> None:
        """Keep in the metadata why no patient is known, for the report of the run."""
        if self.patient != "text":
            return
        cas.metadata.pop(PATIENT_STATE, None)
        if not context.patient("patient_id"):
            cas.metadata[PATIENT_STATE] = SEVERAL_PATIENTS if context.written_numbers else NO_PATIENT

    def _operator(self, kind: PhiKind, kinds: Mapping[PhiKind, Operator], default: Operator) -> Operator | None:
        """Return the operator of a kind, or None if the policy keeps it readable."""
        operator = kinds.get(kind) or kinds.get(kind.top) or default
        if self._policy.masks(kind):
            return operator
        if kind is PhiKind.AGE and self._policy.masks(PhiKind.AGE_OVER_89):  # the number decides whether it is over 89
            return operator if isinstance(operator, Age | Surrogate) else Age()
        return None

    def _normalized(self, mention: Mention, context: Context) -> str:
        """Return the value that decided. Dates that no operator reads are read too, so that the order of day and month is
        always that of the document."""
        operator = self._operator(mention.kind, *self._in_text)
        value = None if operator is None else operator.normalize(mention, context)
        if value is None and mention.kind.top is PhiKind.DATE:
            return DocumentDates.of(context, None).value(mention)
        return mention.value if value is None else value

    def _plan(self, mention: Mention, context: Context) -> Iterator[_PlannedReplacement]:
        outcome, operator = self._outcome(mention, context)
        if outcome is not KEPT:
            yield self._replacement(mention, outcome, operator, context)
            return
        for part, outcome, operator in mask_overlaps(mention, context, self._outcome):
            yield self._replacement(part, outcome, operator, context, f"over a readable {mention.kind.name}")

    def _of_terms(self, view: View, context: Context) -> Iterator[_PlannedReplacement]:
        """Yield the replacements of medical terms that no Phi overlaps; of overlapping terms, the first and longest one."""
        if self.terms is None:
            return
        done = 0
        for term in sorted(view.select(MedicalTerm), key=lambda t: (t.begin, -t.end)):
            if term.begin < done or term.begin == term.end or view.select(Phi, overlapping=term):
                continue
            mention = Mention(term.begin, term.end, PhiKind.OTHER, term.covered_text, term.concept_id)
            outcome = self.terms.mask(mention, context)
            if isinstance(outcome, str) and outcome != mention.text:
                yield _PlannedReplacement(term.begin, term.end, outcome, PhiKind.OTHER, self.terms.name)
            done = term.end

    def _outcome(self, mention: Mention, context: Context) -> tuple[Outcome, Operator]:
        operator = self._operator(mention.kind, *self._in_text)
        outcome = KEPT if operator is None else operator.mask(mention, context)
        told = mention.kind.top in (PhiKind.DATE, PhiKind.AGE) and not (operator is not None and operator.hides)
        if told and not isinstance(outcome, Fallback):
            reason = CalendarContract.of(context, self._oldest).reason(mention)
            outcome = Fallback(reason) if reason else outcome
        return outcome, operator or self.default

    @property
    def _oldest(self) -> int:
        """The greatest age that may be computed, in years: the threshold of the operator `age`, or that of the statute."""
        operator = self._operator(PhiKind.AGE, self.kinds, self.default)
        return operator.threshold if isinstance(operator, Age) else OLDEST

    def _replacement(
        self, mention: Mention, outcome: Outcome, operator: Operator, context: Context, note: str = ""
    ) -> _PlannedReplacement:
        if outcome is NO_KEY and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.id}: {operator.name} has no key: placeholders are written instead of {mention.kind.top.name}; set "
                "CASPIPE_KEY if the configuration says ${CASPIPE_KEY:-}, or give key: file:PATH",
                MissingKeyWarning,
                stacklevel=2,
            )
        text = outcome if isinstance(outcome, str) else self._placeholder.write(mention, context)
        reason = outcome.reason if isinstance(outcome, Fallback) else ""
        notes = "; ".join(filter(None, (reason, note)))
        reads = operator.reads_as_text and isinstance(outcome, str)
        return _PlannedReplacement(mention.begin, mention.end, text, mention.kind, operator.name, notes, reads)


def _mentions(spans: Iterable[Phi]) -> list[Mention]:
    """Return the mentions of final spans. Many texts are equal: each is one string."""
    once = dict[str, str]()
    texts = ((p, p.covered_text) for p in spans)
    return [Mention(p.begin, p.end, p.kind, once.setdefault(text, text), p.value) for p, text in texts]


def _add_masked(target: View, planned: Sequence[_PlannedReplacement], offsets: OffsetMap, source: str) -> None:
    """Add a MaskedSpan for each replacement; as columns if they are many."""
    if len(planned) > MANY and all(r.text for r in planned):
        old_begins, old_ends, begins, ends = offsets.columns()
        target.add_spans(MaskedSpan, cast("list[int]", begins), cast("list[int]", ends), source)
        features: dict[str, Sequence[Any]] = {
            "kind": [r.kind for r in planned],
            "operator": [r.operator for r in planned],
            "original_begin": old_begins,
            "original_end": old_ends,
            "fallback": [r.fallback for r in planned],
        }
        for name, values in features.items():
            target.set_feature(MaskedSpan, name, cast("list[Any]", values))
        return
    for replacement, (old_begin, old_end, begin, end) in zip(planned, offsets, strict=True):
        masked = MaskedSpan(
            begin,
            end,
            kind=replacement.kind,
            operator=replacement.operator,
            original_begin=old_begin,
            original_end=old_end,
            fallback=replacement.fallback,
        )
        target.add(masked.set_source(source))


def _add_replaced_terms(view: View, target: View) -> None:
    """Add the terms whose words were replaced to the masked text, at their replacements. Others are copied like tokens."""
    replaced = {(s.original_begin, s.original_end): s for s in target.select(MaskedSpan)}
    for term in view.select(MedicalTerm):
        span = replaced.get((term.begin, term.end))
        if span is not None and span.begin < span.end and not view.select(Phi, overlapping=term):
            target.add(term.moved(span.begin, span.end))


def _with_articles(text: str, planned: Iterable[_PlannedReplacement]) -> Iterator[_PlannedReplacement]:
    """Yield the replacements, and before those that read as text the article that agrees with them: kind OTHER, operator
    `article`."""
    done = 0
    for replacement in planned:
        article = article_before(text, replacement.begin, replacement.text) if replacement.reads_as_text else None
        if article is not None and article[0] >= done:
            yield _PlannedReplacement(article[0], article[1], article[2], PhiKind.OTHER, "article")
        yield replacement
        done = replacement.end


def _separate(planned: Iterable[_PlannedReplacement]) -> Iterator[_PlannedReplacement]:
    """Yield the replacements, with a space before one that would otherwise form one word with the replacement before it."""
    last: _PlannedReplacement | None = None
    for replacement in planned:
        if last and last.end == replacement.begin and last.text[-1:].isalnum() and replacement.text[:1].isalnum():
            replacement = replace(replacement, text=f" {replacement.text}")
        yield replacement
        last = replacement
