"""Messages to and from the page, with conversion of offsets: UTF-16 code units in JavaScript, code points everywhere else."""

from __future__ import annotations

from typing import Any

from ....typesystem import PhiKind
from .decisions import OpenDocument
from .document import Document, Replacement
from .session import Session
from .state import LIVE, ReviewError, Span


def document_out(session: Session, number: int) -> dict[str, Any]:
    """Return a document as the page displays it."""
    opened = session.opened(number)
    with session.lock:
        at = opened.document.units.to_utf16
        data = {
            "i": number,
            "id": opened.document.id,
            "text": opened.document.text,
            "quarantined": opened.document.quarantined,
            "masker": opened.document.masked,
            "spans": [span_out(opened, sid, span) for sid, span in opened.table.spans.items()],
            "strays": [[at(p.begin), at(p.end), p.text] for p in opened.document.other_masks],
            **_state_out(session, opened),
        }
        if session.pair is not None:
            data["differences"] = [
                {"b": at(d.begin), "e": at(d.end), "left": d.left, "right": d.right} for d in opened.differences
            ]
        return data


def delta_out(session: Session, number: int, sids: list[str]) -> dict[str, Any]:
    """Return the changed spans of a document; null for removed spans."""
    opened = session.opened(number)
    with session.lock:
        spans = opened.table.spans
        changed = {sid: span_out(opened, sid, spans[sid]) if sid in spans else None for sid in sids}
        return {"i": number, "spans": changed, **_state_out(session, opened)}


def _state_out(session: Session, opened: OpenDocument) -> dict[str, Any]:
    at = opened.document.units.to_utf16
    return {
        "done": session.decided(opened.document).done,
        "leaks": [{"id": k.sid, "b": at(k.begin), "e": at(k.end), "k": k.kind, "why": k.why} for k in opened.leaks],
    }


def span_out(opened: OpenDocument, sid: str, span: Span) -> dict[str, Any]:
    """Return a span; `m` contains its replacements."""
    document = opened.document
    at = document.units.to_utf16
    item = document.items.get(sid)
    written = replacements(document, sid, span) if span.status in LIVE else ()
    data: dict[str, Any] = {"id": sid, "b": at(span.begin), "e": at(span.end), "k": span.kind, "s": span.status}
    data["m"] = [[at(p.begin), at(p.end), p.text] for p in written]
    if item is not None:
        data["src"] = item.source
        data["c"] = round(item.confidence, 4)
        data["d"] = item.disputed
        data["was"] = [at(item.span.begin), at(item.span.end), item.span.kind]
    return data


def replacements(document: Document, sid: str, span: Span) -> tuple[Replacement, ...]:
    """Return the replacements of a live span: those of the masker if the span is unchanged, else a placeholder."""
    item = document.items.get(sid)
    if item is not None and item.replacements is not None and item.span[:3] == span[:3]:
        return item.replacements
    return (Replacement(span.begin, span.end, f"[{PhiKind.of(span.kind).top.name}]"),)


def why_out(opened: OpenDocument, sid: str) -> dict[str, Any]:
    """Return the explanation of a span: its properties and the overlapping candidates."""
    document, table = opened.document, opened.table
    at = document.units.to_utf16
    item = document.items.get(sid)
    leak = opened.leak(sid)
    if leak is not None:
        begin, end = leak.begin, leak.end
        facts: list[tuple[str, str]] = [("Why", leak.why)]
    else:
        begin, end = table.span(sid)[:2]
        facts = [] if item is not None else [("Source", "added in this review")]
    if item is not None:
        facts += [("Source", item.source), ("Rule", item.rule), ("Confidence", f"{item.confidence:.2f}")]
        facts += [("Value", item.value), ("Why", item.reason), ("Masked by", item.operator)]
        facts += [("Placeholder because", item.fallback)]
    voices = [
        {
            "b": at(v.begin),
            "e": at(v.end),
            "k": v.kind,
            "src": v.source,
            "rule": v.rule,
            "c": v.confidence,
            "why": v.reason,
        }
        for v in document.candidates_over(begin, end)
    ]
    return {"facts": [[name, value] for name, value in facts if value], "voices": voices}


def offsets_in(document: Document, begin: int, end: int) -> tuple[int, int]:
    """Return offsets of the page as code points. Raises ReviewError outside the text and within a surrogate pair."""
    units = document.units
    if not 0 <= begin < end <= units.length or units.splits_pair(begin) or units.splits_pair(end):
        raise ReviewError(f"{begin}:{end} is not a span of the text (0:{units.length} in UTF-16 code units)")
    return units.from_utf16(begin), units.from_utf16(end)
