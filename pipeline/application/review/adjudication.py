"""Merge the decisions of two annotators: agreed spans are kept, an adjudicator chooses a side of each difference."""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

from .document import Document, ReviewedSpan
from .history import DocumentDecisions
from .state import ACCEPTED, LEFT, REJECTED, RIGHT, Change, ReviewError, Span, SpanTable, put

Side = Literal["left", "right", "both", "none"]
SIDES: tuple[Side, ...] = ("left", "right", "both", "none")


class Difference(NamedTuple):
    """A group of overlapping spans in which two annotators differ."""

    begin: int
    end: int
    left: tuple[str, ...]
    right: tuple[str, ...]


Bounds = tuple[int, int, str]


def live_spans(document: Document, decided: DocumentDecisions) -> list[Bounds]:
    """Return (begin, end, kind) of the live spans of a document. Raises ReviewError if its text changed."""
    if decided.digest != document.digest:
        raise ReviewError(f"document {document.id}: its text has changed since the review")
    table = SpanTable(document.text, document.base, decided.own)
    table.suggest_overridden()
    return [(b, e, table.spans[sid].kind) for b, e, sid in table.live]


def merge_decisions(
    document: Document, left: DocumentDecisions, right: DocumentDecisions, names: tuple[str, str]
) -> Document:
    """Return the document with the spans of both annotators: agreed spans are accepted, the others wait for a choice."""
    ours, theirs = live_spans(document, left), live_spans(document, right)
    known = {item.span[:3]: item for item in document.items.values()}
    items: dict[str, ReviewedSpan] = {}
    for sid, bounds, status, who in _sided(ours, theirs, names):
        span = Span(*bounds, status)
        items[sid] = dataclasses.replace(known.get(bounds) or ReviewedSpan(span), span=span)
        if status in (LEFT, RIGHT):
            items[sid] = dataclasses.replace(items[sid], disputed=True, reason=f"only {who} has it")
    kept = {item.span[:3] for item in items.values()}
    for sid, item in document.items.items():
        if item.span[:3] not in kept:
            rejected = item.span._replace(status=REJECTED)
            items[sid] = dataclasses.replace(item, span=rejected, reason="both annotators rejected or changed it")
    return dataclasses.replace(document, items=items)


def _sided(ours: list[Bounds], theirs: list[Bounds], names: tuple[str, str]) -> list[tuple[str, Bounds, str, str]]:
    """Return (id, bounds, status, annotator) of each span: spans of both annotators, then of the left, then of the right one."""
    both = set(ours) & set(theirs)
    sided = [(f"g{b}-{e}-{k}", (b, e, k), ACCEPTED, "") for b, e, k in ours if (b, e, k) in both]
    sided += [(f"L{b}-{e}-{k}", (b, e, k), LEFT, names[0]) for b, e, k in ours if (b, e, k) not in both]
    sided += [(f"R{b}-{e}-{k}", (b, e, k), RIGHT, names[1]) for b, e, k in theirs if (b, e, k) not in both]
    return sided


def differences(document: Document) -> list[Difference]:
    """Return the differences of a merged document, in text order."""
    sided = sorted((item.span.begin, item.span.end, sid) for sid, item in document.items.items() if sid[0] in "LR")
    groups: list[Difference] = []
    for begin, end, sid in sided:
        left, right = ((sid,), ()) if sid[0] == "L" else ((), (sid,))
        if groups and begin < groups[-1].end:
            last = groups[-1]
            groups[-1] = Difference(last.begin, max(last.end, end), last.left + left, last.right + right)
        else:
            groups.append(Difference(begin, end, left, right))
    return groups


def is_open(table: SpanTable, difference: Difference) -> bool:
    """Return whether the difference still waits for a choice."""
    return any(table.spans[sid].status in (LEFT, RIGHT) for sid in difference.left + difference.right)


def choose(table: SpanTable, difference: Difference, side: str) -> Change:
    """Return the change that resolves a difference. Raises ReviewError for an unknown side.

    `both`: one span that covers both sides if each has one span and the kinds are equal; otherwise the left spans, and the parts
    of the right spans outside of them.
    """
    if side not in SIDES:
        raise ReviewError(f"expected a side: {', '.join(SIDES)}")
    change: Change = {sid: table.span(sid)._replace(status=REJECTED) for sid in difference.left + difference.right}
    wanted = {
        "left": difference.left,
        "right": difference.right,
        "both": difference.right + difference.left,
        "none": (),
    }[side]
    copy = SpanTable(table.text, table.base, dict(table.own))
    copy.apply(change)
    if side == "both" and len(difference.left) == len(difference.right) == 1:
        a, b = (table.base[sid] for sid in (*difference.left, *difference.right))
        if a.kind == b.kind:
            whole = Span(min(a.begin, b.begin), max(a.end, b.end), a.kind, ACCEPTED)
            return {**change, **put(copy, difference.left[0], whole)}
    for sid in wanted:
        step = put(copy, sid, Span(*table.base[sid][:3], ACCEPTED))
        copy.apply(step)
        change.update(step)
    return change
