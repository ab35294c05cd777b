"""Merge the decisions of two annotators: agreed spans are kept, an adjudicator chooses a side of each difference."""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

from .document import Document, Item
from .history import DocumentDecisions
from .state import ACCEPTED, LEFT, REJECTED, RIGHT, Change, ReviewError, Span, SpanTable, put

Side = Literal["left", "right", "both", "none"]
SIDES: tuple[Side, ...] = ("left", "right", "both", "none")


class Difference(NamedTuple):
    """Spans of two annotators that hang together by overlaps and are not the same."""

    begin: int
    end: int
    left: tuple[str, ...]
    right: tuple[str, ...]


Bounds = tuple[int, int, str]


def live_spans(document: Document, decided: DocumentDecisions) -> list[Bounds]:
    """Return (begin, end, kind) of the spans that are left in a document. Raises ReviewError if its text changed."""
    if decided.digest != document.digest:
        raise ReviewError(f"document {document.id}: its text is not the one that was reviewed")
    table = SpanTable(document.text, document.base, decided.own)
    table.suggest_overridden()
    return [(b, e, table.spans[sid].kind) for b, e, sid in table.live]


def merge_decisions(
    document: Document, left: DocumentDecisions, right: DocumentDecisions, names: tuple[str, str]
) -> Document:
    """Return the document with the two annotators' spans as its own: agreed ones accepted, others waiting for a choice."""
    ours, theirs = live_spans(document, left), live_spans(document, right)
    known = {item.span[:3]: item for item in document.items.values()}
    items: dict[str, Item] = {}
    for sid, bounds, status, who in _sided(ours, theirs, names):
        found = known.get(bounds)
        span = Span(*bounds, status)
        items[sid] = dataclasses.replace(found, span=span) if found is not None else Item(span)
        if status in (LEFT, RIGHT):
            items[sid] = dataclasses.replace(items[sid], disputed=True, reason=f"{who} has it, the other has not")
    kept = {item.span[:3] for item in items.values()}
    for sid, item in document.items.items():
        if item.span[:3] not in kept:
            rejected = item.span._replace(status=REJECTED)
            items[sid] = dataclasses.replace(item, span=rejected, reason="both rejected or changed it")
    return dataclasses.replace(document, items=items)


def _sided(ours: list[Bounds], theirs: list[Bounds], names: tuple[str, str]) -> list[tuple[str, Bounds, str, str]]:
    both = set(ours) & set(theirs)
    found = [(f"g{b}-{e}-{k}", (b, e, k), ACCEPTED, "") for b, e, k in ours if (b, e, k) in both]
    found += [(f"L{b}-{e}-{k}", (b, e, k), LEFT, names[0]) for b, e, k in ours if (b, e, k) not in both]
    found += [(f"R{b}-{e}-{k}", (b, e, k), RIGHT, names[1]) for b, e, k in theirs if (b, e, k) not in both]
    return found


def differences(document: Document) -> list[Difference]:
    """Return the differences of a joined document, in text order."""
    sided = sorted((item.span.begin, item.span.end, sid) for sid, item in document.items.items() if sid[0] in "LR")
    found: list[Difference] = []
    for begin, end, sid in sided:
        left, right = ((sid,), ()) if sid[0] == "L" else ((), (sid,))
        if found and begin < found[-1].end:
            last = found[-1]
            found[-1] = Difference(last.begin, max(last.end, end), last.left + left, last.right + right)
        else:
            found.append(Difference(begin, end, left, right))
    return found


def is_open(table: SpanTable, difference: Difference) -> bool:
    """Return whether no choice was made yet."""
    return any(table.spans[sid].status in (LEFT, RIGHT) for sid in difference.left + difference.right)


def choose(table: SpanTable, difference: Difference, side: str) -> Change:
    """Resolve a difference. `both`: one span over both if each has one and their kinds are the same; else left's spans,
    and of right's what lies beyond them. Raises ReviewError for an unknown side."""
    if side not in SIDES:
        raise ReviewError(f"expected a side: {', '.join(SIDES)}")
    change: Change = {sid: table.span(sid)._replace(status=REJECTED) for sid in difference.left + difference.right}
    wanted = {
        "left": difference.left,
        "right": difference.right,
        "both": difference.right + difference.left,
        "none": (),
    }[side]
    scratch = SpanTable(table.text, table.base, dict(table.own))
    scratch.apply(change)
    if side == "both" and len(difference.left) == len(difference.right) == 1:
        one, other = (table.base[sid] for sid in (*difference.left, *difference.right))
        if one.kind == other.kind:
            whole = Span(min(one.begin, other.begin), max(one.end, other.end), one.kind, ACCEPTED)
            return {**change, **put(scratch, difference.left[0], whole)}
    for sid in wanted:
        step = put(scratch, sid, Span(*table.base[sid][:3], ACCEPTED))
        scratch.apply(step)
        change.update(step)
    return change
