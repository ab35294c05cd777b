"""Adds the Phi that the finders missed, where the gate found a leak."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...pipeline.contract.leaks import REPAIRED
from ...typesystem import MaskedSpan, OffsetMap, Phi, PhiCandidate, PhiKind, View
from ..resolving.candidates import has_content, trim
from .leak_span import LeakSpan

REPEATED = f"{REPAIRED}: a value masked elsewhere"
"""Reason of a Phi that the check `values` found."""
_REASONS = {
    "values": REPEATED,
    "known_phi": f"{REPAIRED}: known PHI of the record",
    "rules": f"{REPAIRED}: a match of a rule",
    "site": f"{REPAIRED}: a word that the site list denies",
}


@dataclass(slots=True, repr=False)
class _MissedSpan:
    """A span of the original text that is to be masked."""

    begin: int
    end: int
    kind: PhiKind
    check: str


def offsets_of(masked: View) -> OffsetMap:
    """Return the map from the original to the masked text, also for a document that was read again."""
    if masked.offset_map is not None:
        return masked.offset_map
    return OffsetMap((s.original_begin, s.original_end, s.end - s.begin) for s in masked.select(MaskedSpan))


def add_missed(initial: View, masked: View, leaks: Iterable[LeakSpan], source: str) -> int:
    """Add a Phi for the readable part of every leak, and return their number; 0 if no leak can be repaired.

    Text that is not in the original, structured fields and the replacements themselves cannot be repaired. A Phi that a policy
    keeps readable and that a leak overlaps becomes part of the new one, so that Phi stay disjoint.
    """
    spans = _joined(sorted(_missed(initial, masked, leaks), key=lambda s: (s.begin, -s.end)))
    covered: list[Phi] = []
    added: list[Phi] = []
    for span in _joined([_widened(initial, span) for span in spans]):
        readable = initial.select(Phi, overlapping=(span.begin, span.end))
        if any(phi.source == source and phi.begin <= span.begin and span.end <= phi.end for phi in readable):
            continue  # an earlier round added it, and the masker kept it readable
        phi = Phi(span.begin, span.end, kind=span.kind, reason=_REASONS[span.check]).set_source(source)
        for old in readable:
            for candidate in initial.select(PhiCandidate, overlapping=old):
                if candidate.winner is old:
                    candidate.winner = phi
        covered += readable
        added.append(phi)
    for old in covered:
        initial.remove(old)
    initial.add_all(added)  # at once, so that the index is sorted once
    return len(added)


def _missed(initial: View, masked: View, leaks: Iterable[LeakSpan]) -> Iterator[_MissedSpan]:
    """Yield the parts of leaks between replacements, in offsets of the original text."""
    offsets = offsets_of(masked)
    segments = [(begin, end) for _, _, begin, end in offsets.segments()]
    for leak in leaks:
        if leak.check == "fields":
            continue
        for low, high in _outside(leak.begin, leak.end, segments):
            begin, end = offsets.to_old(low, high)
            if initial.text[begin:end] != masked.text[low:high]:
                continue
            begin, end = trim(initial.text, begin, end)
            if begin < end and has_content(initial.text[begin:end]):
                yield _MissedSpan(begin, end, leak.kind, leak.check)


def _outside(begin: int, end: int, segments: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span that no segment touches; segments are sorted and disjoint."""
    first = max(bisect_right(segments, (begin,)) - 1, 0)
    for low, high in segments[first : bisect_left(segments, (end,))]:
        if high <= begin:
            continue
        if begin < low:
            yield begin, low
        begin = max(begin, high)
    if begin < end:
        yield begin, end


def _joined(spans: Iterable[_MissedSpan]) -> list[_MissedSpan]:
    """Return sorted spans, each with those that overlap it."""
    joined: list[_MissedSpan] = []
    for span in spans:
        if joined and span.begin < joined[-1].end:
            joined[-1].end = max(joined[-1].end, span.end)
        else:
            joined.append(span)
    return joined


def _widened(initial: View, span: _MissedSpan) -> _MissedSpan:
    """Return the span with the Phi that it overlaps, which are readable."""
    for phi in initial.select(Phi, overlapping=(span.begin, span.end)):
        span.begin, span.end = min(span.begin, phi.begin), max(span.end, phi.end)
    return span
