"""A document as pieces of text, each plain or one gold span, so that changes of length keep the spans exact."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...pipeline.errors import ReaderError
from ...typesystem import GOLD_VIEW, Cas, FeatureStructure, Phi, PhiKind, SpanAttribute, View


@dataclass(frozen=True, slots=True)
class Mark:
    """The properties of a gold span besides its text."""

    kind: PhiKind
    attributes: tuple[tuple[str, str], ...] = ()
    """Names and values of its `SpanAttribute`s."""


Piece = tuple[str, Mark | None]
"""(text, mark); no mark for plain text. Joined, the texts are the document."""


def pieces_of(cas: Cas) -> list[Piece]:
    """Return the pieces of a document. Raises ReaderError without gold spans of its text, and for spans that overlap."""
    if not cas.has_view(GOLD_VIEW):
        raise ReaderError(f"expected reference annotations in the view {GOLD_VIEW}, found no such view")
    text, gold = cas.text, cas.view(GOLD_VIEW)
    if gold.text != text:
        raise ReaderError(f"the view {GOLD_VIEW} has another text than the document")
    attributes = _attributes(gold)
    pieces: list[Piece] = []
    last = 0
    for span in gold.select(Phi):
        if span.begin < last:
            raise ReaderError(f"gold span {span.begin}:{span.end} begins before {last}, the end of the one before it")
        if span.begin > last:
            pieces.append((text[last : span.begin], None))
        pieces.append((text[span.begin : span.end], Mark(span.kind, tuple(attributes[id(span)]))))
        last = span.end
    if last < len(text):
        pieces.append((text[last:], None))
    return pieces


def _attributes(gold: View) -> dict[int, list[tuple[str, str]]]:
    """Return the attributes of each span, by the identity of the span."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for attribute in gold.select(SpanAttribute):
        if attribute.of is not None:
            found[id(attribute.of)].append((attribute.name, attribute.value))
    return found


def document_of(pieces: Iterable[Piece], document_id: str) -> Cas:
    """Return the pieces as a document with a gold view. Spans without text are left out."""
    parts: list[str] = []
    items: list[FeatureStructure] = []
    begin = 0
    for text, mark in pieces:
        parts.append(text)
        end = begin + len(text)
        if mark is not None and text:
            phi = Phi(begin, end, kind=mark.kind)
            items.append(phi)
            items += [SpanAttribute(of=phi, name=name, value=value) for name, value in mark.attributes]
        begin = end
    text = "".join(parts)
    cas = Cas(text, id=document_id)
    gold = cas.create_view(GOLD_VIEW, text)
    gold.add_all(items)
    return cas


def text_of(pieces: Iterable[Piece]) -> str:
    return "".join([text for text, _ in pieces])


def cut(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """Return pieces of the same lengths with the characters of another text."""
    found: list[Piece] = []
    start = 0
    for old, mark in pieces:
        found.append((text[start : start + len(old)], mark))
        start += len(old)
    return found


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces without empty ones and with neighboring plain pieces joined."""
    found: list[Piece] = []
    for text, mark in pieces:
        if not text:
            continue
        if mark is None and found and found[-1][1] is None:
            found[-1] = (found[-1][0] + text, None)
        else:
            found.append((text, mark))
    return found


def each(pieces: Iterable[Piece], change: Callable[[str], str]) -> list[Piece]:
    """Return the pieces with changed texts. A span stays as it is if the change would empty it or leave blanks at its ends."""
    found: list[Piece] = []
    for text, mark in pieces:
        new = change(text)
        found.append((text if mark is not None and not _is_whole(new) else new, mark))
    return found


_BLANK_END = re.compile(r"^\s|\s$")


def _is_whole(text: str) -> bool:
    return bool(text) and not _BLANK_END.search(text)


def lines_of(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Return the lines, without their newlines. A newline inside a span does not end a line."""
    lines: list[list[Piece]] = [[]]
    for text, mark in pieces:
        if mark is not None:
            lines[-1].append((text, mark))
            continue
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, None))
        lines += [[(other, None)] if other else [] for other in others]
    return lines
