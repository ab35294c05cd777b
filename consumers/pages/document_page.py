"""The page of one document: original and masked text side by side, and every span with its sources and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, PhiCandidate
from .rendering import render_page
from .spans import Mark, ShownSpan, State, masked_marks, shown_spans
from .tally import winning_candidate

_OUTCOMES: dict[State, str] = {
    "masked": "masked",
    "found": "found, no masker ran",
    "kept": "left readable",
    "vetoed": "removed",
    "missed": "in the reference only",
}
_SAMPLES: dict[State, str] = {"kept": "kept k-OTHER", "vetoed": "vetoed", "missed": "missed"}
"""States that the legend explains, with the CSS classes of its sample."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the text; marked if it has a state."""

    text: str
    state: State | None = None
    kind: str = ""
    targets: str = ""
    """Numbers of the spans that it belongs to."""


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
        original=_pieces(original, marks),
        masked=None if masked is None else _pieces(masked.text, masked_marks(masked, spans)),
        spans=[_detail(s, cas) for s in spans],
    )


def _pieces(text: str, marks: Iterable[Mark]) -> Iterator[_Piece]:
    """Yield the text in pieces; `marks` are disjoint and sorted."""
    end_of_last = 0
    for begin, end, kind, state, numbers in marks:
        yield _Piece(text[end_of_last:begin])
        yield _Piece(text[begin:end], state, kind, " ".join(map(str, numbers)))
        end_of_last = end
    yield _Piece(text[end_of_last:])


def _detail(span: ShownSpan, cas: Cas) -> dict[str, Any]:
    """Return what the template shows of one span."""
    phi = span.phi
    winner = winning_candidate(phi, span.candidates) if phi is not None else None
    facts = [("Offsets", f"{span.begin}–{span.end}"), ("Outcome", _OUTCOMES[span.state])]
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
