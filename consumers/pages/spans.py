"""What a page shows of a document: final spans, what was masked, what was taken out, what was missed, each with its reasons."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from ...typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, View

State = Literal["masked", "found", "kept", "vetoed", "missed"]
"""What became of a place: masked; found, where no masker ran; final but left readable; taken out; known to the reference only."""


Mark = tuple[int, int, str, State, list[int]]
"""Begin, end, kind, state, numbers of the places it stands for."""


@dataclass(slots=True)
class ShownSpan:
    """One place in the original text that has something to tell. `number` counts from 1 in text order."""

    begin: int
    end: int
    kind: str
    state: State
    phi: Phi | None = None
    masked: list[MaskedSpan] = field(default_factory=list)
    candidates: list[PhiCandidate] = field(default_factory=list)
    number: int = 0


def shown_spans(cas: Cas) -> list[ShownSpan]:
    """Everything a page shows of the original text, disjoint and in text order.

    Final spans first, then masked spans that no final span explains, then reference spans nobody found, then candidates
    that were taken out; what overlaps something before it is left to that one's list of candidates.
    """
    if not cas.has_view(INITIAL_VIEW):
        return []
    view = cas.view()
    masker_ran = cas.has_view(DEIDENTIFIED_VIEW)
    masked = cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan) if masker_ran else []
    masked.sort(key=lambda m: m.original_begin)
    ends = [m.original_end for m in masked]
    found: list[ShownSpan] = []
    for phi in view.select(Phi):
        at = bisect_right(ends, phi.begin)
        over = []
        while at < len(masked) and masked[at].original_begin < phi.end:
            over.append(masked[at])
            at += 1
        state: State = "masked" if over else "kept" if masker_ran else "found"
        found.append(ShownSpan(phi.begin, phi.end, phi.kind.name, state, phi, over))
    explained = {id(m) for s in found for m in s.masked}
    found += [
        ShownSpan(m.original_begin, m.original_end, m.kind.name, "masked", None, [m])
        for m in masked
        if id(m) not in explained
    ]
    gold = cas.view(GOLD_VIEW) if cas.has_view(GOLD_VIEW) else None
    if gold is not None and gold.text == view.text:
        found += [ShownSpan(g.begin, g.end, g.kind.name, "missed") for g in gold.select(Phi)]
    found += _clusters(c for c in view.select(PhiCandidate) if c.winner is None)
    taken = _disjoint(found, len(view.text))
    for number, shown in enumerate(taken, 1):
        shown.number = number
        shown.candidates = view.select(PhiCandidate, overlapping=(shown.begin, shown.end))
    return taken


def _clusters(candidates: Iterable[PhiCandidate]) -> list[ShownSpan]:
    """Candidates that hang together by overlaps, as one place each."""
    made: list[ShownSpan] = []
    for c in candidates:
        if made and c.begin < made[-1].end:
            made[-1].end = max(made[-1].end, c.end)
        elif c.begin < c.end:
            made.append(ShownSpan(c.begin, c.end, c.kind.name, "vetoed"))
    return made


def _disjoint(spans: Iterable[ShownSpan], limit: int) -> list[ShownSpan]:
    """Those that overlap none before them, in text order."""
    taken: list[ShownSpan] = []
    covered = bytearray(limit)
    for s in spans:
        if 0 <= s.begin < s.end <= limit and not any(covered[s.begin : s.end]):
            covered[s.begin : s.end] = b"\1" * (s.end - s.begin)
            taken.append(s)
    return sorted(taken, key=lambda s: s.begin)


def masked_marks(view: View, spans: list[ShownSpan]) -> list[Mark]:
    """(begin, end, kind, state, numbers) of what to mark in the masked text: replacements, and kept spans where they went."""
    numbers: dict[int, list[int]] = {}
    for s in spans:
        for m in s.masked:
            numbers.setdefault(id(m), []).append(s.number)
    marks: list[Mark] = [
        (m.begin, m.end, m.kind.name, "masked", numbers.get(id(m), [])) for m in view.select(MaskedSpan)
    ]
    if view.offset_map is not None:
        for s in spans:
            if s.state in ("kept", "missed"):
                begin, end = view.offset_map.to_new(s.begin, s.end)
                marks.append((begin, end, s.kind, s.state, [s.number]))
    marks.sort(key=lambda mark: (mark[0], mark[1]))
    kept, last = [], 0
    for mark in marks:
        if mark[0] >= last:
            kept.append(mark)
            last = mark[1]
    return kept
