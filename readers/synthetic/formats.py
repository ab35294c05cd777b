"""Formats of synthetic documents: JSON Lines, plain text, brat standoff, i2b2-2014 XML."""

from __future__ import annotations

import json
from xml.sax.saxutils import escape, quoteattr

from ...typesystem import PhiKind
from .document import Document


def jsonl(document: Document) -> bytes:
    """Return one line for the reader `jsonl` with `spans_field: spans`."""
    record = {
        "id": document.id,
        "text": document.text,
        "spans": [{"begin": begin, "end": end, "kind": kind} for begin, end, kind in document.spans],
        "layout": document.layout,
        "language": document.language,
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def text(document: Document) -> bytes:
    return document.text.encode()


def brat(document: Document) -> bytes:
    """Return the .ann file: one text-bound annotation per line, with a fragment for each line that a span covers."""
    lines = []
    for number, (begin, end, kind) in enumerate(document.spans, 1):
        covered = document.text[begin:end]
        fragments, offset = [], begin
        for part in covered.split("\n"):
            fragments.append(f"{offset} {offset + len(part)}")
            offset += len(part) + 1
        lines.append(f"T{number}\t{kind} {';'.join(fragments)}\t{covered.replace(chr(10), ' ')}\n")
    return "".join(lines).encode()


def i2b2(document: Document) -> bytes:
    """Return i2b2-2014 XML, which has a category and a type for each PHI kind; some kinds share theirs."""
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>', "<deIdi2b2>"]
    lines += [f"<TEXT>{escape(document.text)}</TEXT>", "<TAGS>"]
    for number, (begin, end, kind) in enumerate(document.spans):
        phi_kind = PhiKind.of(kind)
        covered = quoteattr(document.text[begin:end], {"\n": "&#10;", "\t": "&#9;"})
        lines.append(
            f'<{phi_kind.in_scheme("i2b2-2014")} id="P{number}" start="{begin}" end="{end}" text={covered}'
            f' TYPE="{phi_kind.in_scheme("i2b2-2014-sub")}" comment="" />'
        )
    lines += ["</TAGS>", "</deIdi2b2>", ""]
    return "\n".join(lines).encode()
