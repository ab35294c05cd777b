"""The page of one document: original and masked text side by side, and every span (final, masked, removed, missed) with its
sources and reasons.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from ...pipeline.contract.leaks import leaks_of
from ...typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, View
from .rendering import escape, kind_class, render_page
from .tally import winning_candidate

_OUTCOMES: dict[State, str] = {
    "masked": "masked",
    "found": "found, no masker ran",
    "kept": "left readable",
    "vetoed": "removed",
    "missed": "in the reference only",
    "refused": "still readable: the leak gate refused the document",
}
MOST_DETAILED = 5_000
"""Spans that a page explains one by one. Further spans are marked in the text, without explanation, so that the page of a long
document stays small enough for a browser."""
_SAMPLES: dict[State, str] = {"kept": "kept k-OTHER", "vetoed": "vetoed", "missed": "missed", "refused": "refused"}
"""States that the legend explains, with the CSS classes of its sample."""


def document_page(cas: Cas, spans: list[ShownSpan] | None = None, index: str = "index.html") -> bytes:
    """Return the page of a document, with a link to the list `index` unless that is empty.

    Pass `spans` if `shown_spans` was already called for the document.
    """
    spans = shown_spans(cas) if spans is None else spans
    original = cas.text if cas.has_view(INITIAL_VIEW) else ""
    marks: list[Mark] = [(s.begin, s.end, s.kind, s.state, [s.number]) for s in spans]
    masked = cas.view(DEIDENTIFIED_VIEW) if cas.has_view(DEIDENTIFIED_VIEW) else None
    states = Counter(s.state for s in spans)
    counts = [f"{len(original):,} characters", *(f"{states[s]:,} {name}" for s, name in _OUTCOMES.items() if states[s])]
    kinds = Counter(s.kind.partition("_")[0] for s in spans if s.state != "vetoed")
    name = cas.id or "(no id)"
    return render_page(
        "document.html.j2",
        title=f"{name}: spans",
        styles=["document.css"],
        scripts=["document.js"],
        name=name,
        list_link=index,
        outcomes=_OUTCOMES,
        counts=" · ".join(counts),
        kinds=sorted(kinds.items()),
        samples=[(state, css) for state, css in _SAMPLES.items() if states[state]],
        original=_marked_text(original, marks),
        masked=None if masked is None else _marked_text(masked.text, masked_marks(masked, spans)),
        spans=(_detail(s, cas) for s in spans[:MOST_DETAILED]),
        spans_left=max(0, len(spans) - MOST_DETAILED),
    )


def _marked_text(text: str, marks: Iterable[Mark]) -> Markup:
    """Return the text with its marks as HTML; `marks` are disjoint and sorted. A mark without explanation has no title."""
    parts = list[str]()
    end_of_last = 0
    for begin, end, kind, state, numbers in marks:
        explained = ""
        if numbers and numbers[0] <= MOST_DETAILED:
            targets = " ".join(map(str, numbers))
            explained = f' data-d="{targets}" tabindex="-1" title="{escape(kind)}, {_OUTCOMES[state]}"'
        mark = f'<mark class="{state} {kind_class(kind)}"{explained}>{escape(text[begin:end])}</mark>'
        parts += (escape(text[end_of_last:begin]), mark)
        end_of_last = end
    parts.append(escape(text[end_of_last:]))
    return Markup("".join(parts))


def _detail(span: ShownSpan, cas: Cas) -> dict[str, Any]:
    """Return what the template shows of one span."""
    phi = span.phi
    winner = winning_candidate(phi, span.candidates) if phi is not None else None
    facts = [("Offsets", f"{span.begin}–{span.end}"), ("Outcome", _OUTCOMES[span.state]), ("Check", span.check)]
    if phi is not None:
        facts += [("Source", phi.source), ("Rule", winner.rule if winner is not None else "")]
        facts += [("Confidence", f"{phi.confidence:.2f}"), ("Value", phi.value), ("Reason", phi.reason)]
    for m in span.masked:
        facts += [("Operator", m.operator), ("Placeholder because", m.fallback)]
    listed = len(span.candidates) > 1 or (span.candidates and winner is None)
    return {
        "number": span.number,
        "kind": span.kind,
        "text": cas.view().text[span.begin : span.end],
        "replacements": [m.covered_text if m.end > m.begin else "" for m in span.masked],
        "facts": [(name, value) for name, value in facts if value],
        "candidates": [_candidate_row(c, winner) for c in span.candidates] if listed else [],
    }


def _candidate_row(c: PhiCandidate, winner: PhiCandidate | None) -> list[object]:
    outcome = c.reason or ("won" if c is winner else "lost" if c.winner is not None else "removed")
    return [{"kind": c.kind.name}, c.covered_text, c.source, c.rule, f"{c.confidence:.2f}", outcome]


State = Literal["masked", "found", "kept", "vetoed", "missed", "refused"]
"""Outcome of a span: masked; found, if no masker ran; final but left readable; removed; only in the reference; readable in the
masked text although the leak gate found it there."""


Mark = tuple[int, int, str, State, list[int]]
"""Begin, end, kind, state, numbers of the shown spans that it belongs to."""


@dataclass(slots=True)
class ShownSpan:
    """One span of the original text that the page explains. `number` counts from 1 in text order."""

    begin: int
    end: int
    kind: str
    state: State
    phi: Phi | None = None
    masked: list[MaskedSpan] = field(default_factory=list)
    candidates: list[PhiCandidate] = field(default_factory=list)
    check: str = ""
    """The check of the leak gate that found it."""
    number: int = 0


def shown_spans(cas: Cas) -> list[ShownSpan]:
    """Return everything that a page shows of the original text, disjoint and in text order.

    Places for which the leak gate refused the document take precedence, then final spans, then masked spans without a final
    span, then reference spans that were not found, then candidates that were removed; a span that overlaps one before it
    appears in that span's list of candidates.
    """
    if not cas.has_view(INITIAL_VIEW):
        return []
    view = cas.view()
    masker_ran = cas.has_view(DEIDENTIFIED_VIEW)
    masked = cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan) if masker_ran else []
    masked.sort(key=lambda m: m.original_begin)
    ends = [m.original_end for m in masked]
    spans = [
        ShownSpan(k.original_begin, k.original_end, k.kind.name, "refused", check=k.check)
        for k in (leaks_of(cas) if masker_ran else ())
    ]
    for phi in view.select(Phi):
        i = bisect_right(ends, phi.begin)
        over = []
        while i < len(masked) and masked[i].original_begin < phi.end:
            over.append(masked[i])
            i += 1
        state: State = "masked" if over else "kept" if masker_ran else "found"
        spans.append(ShownSpan(phi.begin, phi.end, phi.kind.name, state, phi, over))
    explained = {id(m) for s in spans for m in s.masked}
    spans += [
        ShownSpan(m.original_begin, m.original_end, m.kind.name, "masked", None, [m])
        for m in masked
        if id(m) not in explained
    ]
    gold = cas.view(GOLD_VIEW) if cas.has_view(GOLD_VIEW) else None
    if gold is not None and gold.text == view.text:
        spans += [ShownSpan(g.begin, g.end, g.kind.name, "missed") for g in gold.select(Phi)]
    spans += _clusters(c for c in view.select(PhiCandidate) if c.winner is None)
    taken = _disjoint(spans, len(view.text))
    for number, shown in enumerate(taken, 1):
        shown.number = number
        if number <= MOST_DETAILED:
            shown.candidates = view.select(PhiCandidate, overlapping=(shown.begin, shown.end))
    return taken


def _clusters(candidates: Iterable[PhiCandidate]) -> list[ShownSpan]:
    """Return candidates that overlap, directly or through others, as one span each."""
    clusters: list[ShownSpan] = []
    for c in candidates:
        if clusters and c.begin < clusters[-1].end:
            clusters[-1].end = max(clusters[-1].end, c.end)
        elif c.begin < c.end:
            clusters.append(ShownSpan(c.begin, c.end, c.kind.name, "vetoed"))
    return clusters


def _disjoint(spans: Iterable[ShownSpan], limit: int) -> list[ShownSpan]:
    """Return the spans that do not overlap any span before them, in text order."""
    taken: list[ShownSpan] = []
    covered = bytearray(limit)
    for s in spans:
        if 0 <= s.begin < s.end <= limit and not any(covered[s.begin : s.end]):
            covered[s.begin : s.end] = b"\1" * (s.end - s.begin)
            taken.append(s)
    return sorted(taken, key=lambda s: s.begin)


def masked_marks(view: View, spans: list[ShownSpan]) -> list[Mark]:
    """Return (begin, end, kind, state, numbers) of the marks in the masked text: replacements, and kept spans at their new
    offsets."""
    numbers: dict[int, list[int]] = {}
    for s in spans:
        for m in s.masked:
            numbers.setdefault(id(m), []).append(s.number)
    marks: list[Mark] = [
        (m.begin, m.end, m.kind.name, "masked", numbers.get(id(m), [])) for m in view.select(MaskedSpan)
    ]
    if view.offset_map is not None:
        for s in spans:
            if s.state in ("kept", "missed", "refused"):
                begin, end = view.offset_map.to_new(s.begin, s.end)
                marks.append((begin, end, s.kind, s.state, [s.number]))
    marks.sort(key=lambda mark: (mark[0], mark[1]))
    kept, last = [], 0
    for mark in marks:
        if mark[0] >= last:
            kept.append(mark)
            last = mark[1]
    return kept
