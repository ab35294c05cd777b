"""The page of one document: original and masked text side by side, every span with its sources and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, PhiCandidate
from .page import cell, chip, esc, kind_class, page, table
from .spans import Mark, Shown, State, masked_marks, shown_spans
from .style import DOCUMENT, STEPPING
from .tally import speaker

_STATES: dict[State, str] = {
    "masked": "masked",
    "found": "found, no masker ran",
    "kept": "left readable",
    "vetoed": "taken out",
    "missed": "in the reference only",
}


def document_page(cas: Cas, spans: list[Shown] | None = None, index: str = "index.html") -> bytes:
    """The page. `spans`: what `shown_spans` gave for this document, if the caller has it already; `index`: link to the list,
    empty for none."""
    spans = shown_spans(cas) if spans is None else spans
    original = cas.text if cas.has_view(INITIAL_VIEW) else ""
    left: list[Mark] = [(s.begin, s.end, s.kind, s.state, [s.number]) for s in spans]
    columns = _column("original", "Original", _marked(original, left))
    if cas.has_view(DEIDENTIFIED_VIEW):
        view = cas.view(DEIDENTIFIED_VIEW)
        columns += _column("masked", "Masked", _marked(view.text, masked_marks(view, spans)))
    else:
        columns += _column("masked", "Masked", '<span class="muted">No masker ran on this document.</span>')
    details = "".join(_detail(s, cas) for s in spans) or "<p>None.</p>"
    name = cas.id or "(no id)"
    back = f'<p class="facts"><a href="{esc(index)}">All documents</a></p>' if index else ""
    body = (
        f"<header>{back}<h1>{esc(name)}</h1>"
        f'<p class="facts">{_facts(original, spans)}</p>{_legend(spans)}</header>\n'
        f'<main><div class="texts">{columns}</div>{_PANEL}<h2>Spans</h2>\n{details}</main>\n'
        "<footer>This page holds the original text: it is for those who may read it.</footer>"
    )
    return page(f"{name}: spans", body, style=DOCUMENT, script=STEPPING)


_PANEL = (
    '<aside class="panel" id="panel" aria-label="Chosen span" hidden><div class="steps">'
    '<button type="button" id="previous">Previous <kbd>p</kbd></button><button type="button" id="next">Next <kbd>n</kbd></button>'
    '<span id="count"></span><span>Point at a span, or step through them.</span></div>'
    '<div id="box" aria-live="polite"></div></aside>'
)


def _column(name: str, title: str, text: str) -> str:
    return f'<section id="{name}"><h2>{title}</h2><div class="text" tabindex="0">{text}</div></section>'


def _marked(text: str, marks: Iterable[Mark]) -> str:
    """The text as HTML with disjoint, sorted spans marked."""
    pieces: list[str] = []
    at = 0
    for begin, end, kind, state, numbers in marks:
        targets = " ".join(map(str, numbers))
        pieces.append(esc(text[at:begin]))
        pieces.append(
            f'<mark class="{state} {kind_class(kind)}" data-d="{targets}" tabindex="-1" title="{esc(kind)}, {_STATES[state]}">'
            f"{esc(text[begin:end])}</mark>"
        )
        at = end
    pieces.append(esc(text[at:]))
    return "".join(pieces)


def _facts(text: str, spans: list[Shown]) -> str:
    states = Counter(s.state for s in spans)
    parts = [f"{len(text):,} characters", *(f"{states[s]:,} {told}" for s, told in _STATES.items() if states[s])]
    return " · ".join(parts)


def _legend(spans: list[Shown]) -> str:
    kinds = Counter(s.kind.partition("_")[0] for s in spans if s.state != "vetoed")
    chips = [chip(kind, n) for kind, n in sorted(kinds.items())]
    samples = {
        "kept": '<mark class="kept k-OTHER">left readable</mark>',
        "vetoed": '<mark class="vetoed">candidate taken out</mark>',
        "missed": '<mark class="missed">in the reference only</mark>',
    }
    shown = {s.state for s in spans}
    chips += [f"<span>{sample}</span>" for state, sample in samples.items() if state in shown]
    return f'<div class="legend" role="group" aria-label="Legend">{"".join(chips)}</div>' if chips else ""


def _detail(shown: Shown, cas: Cas) -> str:
    """What there is to tell about one place."""
    view, phi = cas.view(), shown.phi
    after = "".join(
        f" → <q>{esc(m.covered_text)}</q>" if m.end > m.begin else ' → <span class="muted">removed</span>'
        for m in shown.masked
    )
    facts: list[tuple[str, object]] = [("Offsets", f"{shown.begin}–{shown.end}"), ("Outcome", _STATES[shown.state])]
    voice = speaker(phi, shown.candidates) if phi is not None else None
    if phi is not None:
        facts += [("Source", phi.source), ("Rule", voice.rule if voice is not None else "")]
        facts += [("Confidence", f"{phi.confidence:.2f}"), ("Value", phi.value), ("Reason", phi.reason)]
    for m in shown.masked:
        facts += [("Operator", m.operator), ("Placeholder because", m.fallback)]
    listed = "".join(
        f"<div><dt>{name}</dt><dd>{esc(value)}</dd></div>" for name, value in facts if value not in ("", None)
    )
    others = ""
    if len(shown.candidates) > 1 or (shown.candidates and voice is None):
        rows = [_candidate(c, voice) for c in shown.candidates]
        columns = ["Candidate", "Text", "Source", "Rule", "#Confidence", "Outcome"]
        others = table("Candidates here", columns, rows)
    return (
        f'<article class="detail" id="d{shown.number}"><h3>{chip(shown.kind)} <q>{esc(view.text[shown.begin : shown.end])}</q>'
        f"{after}</h3><dl>{listed}</dl>{others}</article>\n"
    )


def _candidate(c: PhiCandidate, voice: PhiCandidate | None) -> str:
    told = c.reason or ("won" if c is voice else "lost" if c.winner is not None else "taken out")
    return (
        f'<th scope="row">{chip(c.kind.name)}</th>'
        + cell(c.covered_text)
        + cell(c.source)
        + cell(c.rule)
        + cell(f"{c.confidence:.2f}").replace("<td", '<td class="n"', 1)
        + cell(told)
    )
