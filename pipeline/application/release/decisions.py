"""The decisions of reviewers about one document, as spans: of one reviewer, adjudicated, or all spans of all reviewers.

If reviewers differ without adjudication, each span of any of them is masked: in doubt a span is PHI.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import ReaderError
from ..review import adjudication
from ..review.adjudication import Bounds, live_spans
from ..review.document import Document
from ..review.history import DocumentDecisions
from ..review.state import ACCEPTED, LIVE, REJECTED, Change, Span, SpanTable, put


class Review(NamedTuple):
    """The decisions of one reviewer about a document."""

    reviewer: str
    decisions: DocumentDecisions


class EditedSpans(NamedTuple):
    """The annotations of a document that was edited elsewhere."""

    digest: str
    """SHA-256 of the text."""
    spans: tuple[Bounds, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The spans that are PHI after the review."""

    spans: tuple[Bounds, ...]
    rejected: tuple[tuple[int, int], ...] = ()
    """Spans that reviewers rejected."""
    by: str = ""
    differences: int = 0
    """Differences between reviewers without adjudication; each span of any of them is masked."""


@dataclass(frozen=True, slots=True)
class DocumentReview:
    """All decisions about a document: of reviewers, and of an adjudicator between two of them; or an edited document."""

    reviews: tuple[Review, ...] = ()
    adjudicator: Review | None = None
    between: tuple[str, str] | None = None
    edited: EditedSpans | None = None
    by: str = ""
    """The origin of the edited document."""

    @property
    def done(self) -> bool:
        """Return whether the review of the document is completed."""
        return self.edited is not None or any(r.decisions.done for r in self.reviews)

    @property
    def begun(self) -> bool:
        """Return whether there is any decision."""
        return self.done or any(r.decisions.own for r in self.reviews)

    def counts(self) -> Counts:
        """Return the numbers of spans that were added, rejected and changed; of several reviewers each counts."""
        counts = Counts()
        reviews = [self.adjudicator] if self.adjudicator is not None else list(self.reviews)
        for review in reviews:
            for sid, span in review.decisions.own.items():
                counts.add(sid, span)
        return counts


@dataclass(slots=True)
class Counts:
    """Numbers of decisions."""

    added: int = 0
    rejected: int = 0
    changed: int = 0

    def add(self, sid: str, span: Span) -> None:
        """Count one decision. The id of a span that was found names its bounds and kind: `p12-20-PERSON`."""
        found, live = sid[0] in "pgLR", span.status in LIVE
        if span.status == REJECTED and found:
            self.rejected += 1
        elif live and not found:
            self.added += 1
        elif live and sid[1:] != f"{span.begin}-{span.end}-{span.kind}":
            self.changed += 1

    def merge(self, other: Counts) -> None:
        self.added += other.added
        self.rejected += other.rejected
        self.changed += other.changed


@dataclass(slots=True)
class _Union:
    """The spans of several reviewers. Spans that were added first keep their bounds."""

    text: str
    table: SpanTable = field(init=False)

    def __post_init__(self) -> None:
        self.table = SpanTable(self.text, {})

    def add(self, spans: Iterable[Bounds]) -> None:
        """Add the parts of spans outside of those that are there."""
        before = {sid: span for sid, span in self.table.spans.items() if span.status in LIVE}
        merged = SpanTable(self.text, {}, {})
        for bounds in spans:
            _apply(merged, merged.fresh(), Span(*bounds, ACCEPTED))
        for span in before.values():
            _apply(merged, merged.fresh(), span)
        self.table = merged

    @property
    def spans(self) -> tuple[Bounds, ...]:
        return tuple((b, e, self.table.spans[sid].kind) for b, e, sid in self.table.live)


def _apply(table: SpanTable, sid: str, span: Span) -> Change:
    change = put(table, sid, span)
    table.apply(change)
    return change


def settle(document: Document, review: DocumentReview) -> Verdict:
    """Return what is PHI after the review. Raises ReaderError if the text is not the one that was reviewed."""
    if review.edited is not None:
        if review.edited.digest != document.digest:
            raise changed_text(document.id, f"the edited document ({review.by})")
        found = sum(s.status in LIVE for s in document.base.values())
        if found and not review.edited.spans:
            raise ReaderError(
                f"document {document.id}: the edited document has no annotation of PHI, the run found {found}: it is withheld"
            )
        return _of_edited(document, review.edited, review.by)
    for one in (*review.reviews, *([review.adjudicator] if review.adjudicator else [])):
        if one.decisions.digest != document.digest:
            raise changed_text(document.id, f"the review by {one.reviewer}")
    finished = [r for r in review.reviews if r.decisions.done]
    others = [r for r in review.reviews if not r.decisions.done and r.decisions.own]
    first = finished or others
    names = " and ".join(r.reviewer for r in first)
    if len(finished) == 2:
        verdict = _between(document, finished[0], finished[1], _adjudicated(review, finished))
    elif len(first) == 1:
        table = _table(document, first[0].decisions)
        verdict = Verdict(_live(table), _rejected(table), names)
    else:
        verdict = _of_all(document, first, names)
    return _with_unfinished(document, verdict, others) if finished and others else verdict


def changed_text(document: str, what: str) -> ReaderError:
    """Return the error for decisions about another text."""
    return ReaderError(f"document {document}: its text is not the one of {what}: the decisions are refused")


def _adjudicated(review: DocumentReview, finished: list[Review]) -> Review | None:
    same = review.between is not None and {*review.between} == {r.reviewer for r in finished}
    return review.adjudicator if same else None


def _between(document: Document, left: Review, right: Review, adjudicator: Review | None) -> Verdict:
    """Return the spans of two reviewers after adjudication. Differences without a choice are masked on both sides."""
    names = left.reviewer, right.reviewer
    merged = adjudication.merge_decisions(document, left.decisions, right.decisions, names)
    own = dict(adjudicator.decisions.own) if adjudicator is not None else {}
    table = SpanTable(merged.text, merged.base, own)
    table.suggest_overridden()
    waiting = [d for d in adjudication.differences(merged) if adjudication.is_open(table, d)]
    for difference in waiting:
        table.apply(adjudication.choose(table, difference, "both"))
    by = adjudicator.reviewer if adjudicator is not None else " and ".join(names)
    return Verdict(_live(table), _rejected(table), by, len(waiting))


def _of_all(document: Document, reviews: list[Review], names: str) -> Verdict:
    """Return everything that any reviewer masks."""
    union, each = _Union(document.text), [live_spans(document, r.decisions) for r in reviews]
    for spans in each:
        union.add(spans)
    rejected = [set(_rejected(_table(document, r.decisions))) for r in reviews]
    return Verdict(union.spans, tuple(sorted(set.intersection(*rejected))), names, _differences(each))


def _with_unfinished(document: Document, verdict: Verdict, others: list[Review]) -> Verdict:
    """Add what reviewers marked who have not completed the document."""
    union = _Union(document.text)
    union.add(verdict.spans)
    marked = [[tuple(s[:3]) for s in r.decisions.own.values() if s.status == ACCEPTED] for r in others]
    for spans in marked:
        union.add(sorted(spans))  # type: ignore[arg-type]
    more = len(set(union.spans) - set(verdict.spans))
    return Verdict(union.spans, verdict.rejected, verdict.by, verdict.differences + more)


def _differences(each: list[list[Bounds]]) -> int:
    """Return the number of groups of overlapping spans that not all reviewers have."""
    common = set.intersection(*map(set, each))
    groups, end = 0, -1
    for begin, stop, _ in sorted({span for spans in each for span in spans} - common):
        groups += begin >= end
        end = max(end, stop)
    return groups


def _of_edited(document: Document, edited: EditedSpans, by: str) -> Verdict:
    union = _Union(document.text)
    union.add(sorted(edited.spans, key=lambda s: (s[0], -s[1], s[2]), reverse=True))
    covered = SpanTable(document.text, {str(n): Span(*s, ACCEPTED) for n, s in enumerate(union.spans)})
    rejected = [
        (s.begin, s.end) for s in document.base.values() if s.status in LIVE and not covered.over(s.begin, s.end)
    ]
    return Verdict(union.spans, tuple(sorted(rejected)), by)


def _table(document: Document, decisions: DocumentDecisions) -> SpanTable:
    table = SpanTable(document.text, document.base, dict(decisions.own))
    table.suggest_overridden()
    return table


def _live(table: SpanTable) -> tuple[Bounds, ...]:
    return tuple((b, e, table.spans[sid].kind) for b, e, sid in table.live)


def _rejected(table: SpanTable) -> tuple[tuple[int, int], ...]:
    """Return the spans that were rejected and that no live span overlaps."""
    spans: Mapping[str, Span] = table.spans
    found = {(s.begin, s.end) for s in spans.values() if s.status == REJECTED and not table.over(s.begin, s.end)}
    return tuple(sorted(found))
