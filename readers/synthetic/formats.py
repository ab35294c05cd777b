"""How a synthetic document is written: JSON Lines, plain text, brat's stand-off files, the XML of i2b2-2014."""

from __future__ import annotations

import json
from xml.sax.saxutils import escape, quoteattr

from ...typesystem import PhiKind
from .document import Document


def jsonl(document: Document) -> bytes:
    """One line, as the `jsonl` reader takes it with `spans_field: spans`."""
    record = {
        "id": document.id,
        "text": document.text,
        "spans": [{"begin": begin, "end": end, "kind": kind} for begin, end, kind in document.spans],
        "layout": document.layout,
        "language": document.language,
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def text(document: Document) -> bytes:
    """The text alone."""
    return document.text.encode()


def brat(document: Document) -> bytes:
    """The stand-off file beside the text: a text-bound annotation a line, one fragment for each line a span covers."""
    lines = []
    for number, (begin, end, kind) in enumerate(document.spans, 1):
        covered = document.text[begin:end]
        fragments, at = [], begin
        for part in covered.split("\n"):
            fragments.append(f"{at} {at + len(part)}")
            at += len(part) + 1
        lines.append(f"T{number}\t{kind} {';'.join(fragments)}\t{covered.replace(chr(10), ' ')}\n")
    return "".join(lines).encode()


def i2b2(document: Document) -> bytes:
    """The XML of i2b2-2014, which has a category and a type for each kind; some kinds share theirs."""
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>', "<deIdi2b2>"]
    lines += [f"<TEXT>{escape(document.text)}</TEXT>", "<TAGS>"]
    for number, (begin, end, kind) in enumerate(document.spans):
        of = PhiKind.of(kind)
        covered = quoteattr(document.text[begin:end], {"\n": "&#10;", "\t": "&#9;"})
        lines.append(
            f'<{of.in_scheme("i2b2-2014")} id="P{number}" start="{begin}" end="{end}" text={covered}'
            f' TYPE="{of.in_scheme("i2b2-2014-sub")}" comment="" />'
        )
    lines += ["</TAGS>", "</deIdi2b2>", ""]
    return "\n".join(lines).encode()
