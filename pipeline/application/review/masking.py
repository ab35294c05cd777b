"""The masked text under review: the masker's own replacements where a span is as it was found, else placeholders."""

from __future__ import annotations

from ....typesystem import PhiKind
from .document import Document, Piece
from .state import LIVE, Span, SpanTable

_PLACEHOLDER = "[{}]"


def pieces(document: Document, sid: str, span: Span) -> tuple[Piece, ...]:
    """Return the replacements of a span; none if it stays readable, because it is not live or the masker left it so."""
    if span.status not in LIVE:
        return ()
    item = document.items.get(sid)
    same = item is not None and item.span[:3] == span[:3]
    if same and item is not None and item.pieces is not None:
        return item.pieces
    return (Piece(span.begin, span.end, _PLACEHOLDER.format(PhiKind.of(span.kind).top.name)),)


def replacements(document: Document, table: SpanTable) -> list[Piece]:
    """Return every replacement in text order, disjoint."""
    found = [p for _, _, sid in table.live for p in pieces(document, sid, table.spans[sid])]
    found += [p for p in document.other_masks if not table.over(p.begin, max(p.end, p.begin + 1))]
    found.sort()
    kept: list[Piece] = []
    for piece in found:
        if not kept or piece.begin >= kept[-1].end:
            kept.append(piece)
    return kept


def masked_text(document: Document, table: SpanTable) -> str:
    """Return the text as it would be released."""
    parts: list[str] = []
    at = 0
    for piece in replacements(document, table):
        parts += (document.text[at : piece.begin], piece.text)
        at = piece.end
    return "".join((*parts, document.text[at:]))
