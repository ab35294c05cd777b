"""Classes of missed and false spans, with short quotations. Only for texts that may be published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from caspipe.consumers.scoring import Mark

from .documents import NAMES, Document, kind_group, letter_case
from .finding import Found

AROUND = 28
LONGEST = 48


@dataclass
class Class:
    """Spans of the same kind and form."""

    name: str
    spans: int = 0
    """Reference spans of the class; found spans for false ones."""
    wrong: int = 0
    partly: int = 0
    """Missed spans of which some letters are covered."""
    examples: list[tuple[str, str]] = field(default_factory=list)
    """Document and quotation."""


def name_of(text: str, mark: Mark) -> str:
    """Return the class of a span: its kind; for names also words and letter case."""
    kind = kind_group(mark.kind)
    if kind not in NAMES:
        return kind
    surface = text[mark.begin : mark.end]
    words = "one word" if len(surface.split()) == 1 else "several words"
    initials = all(len(w.strip(".,")) <= 1 for w in surface.split()) or (surface.isupper() and len(surface) <= 3)
    return f"{kind}, initials" if initials else f"{kind}, {words}, {letter_case(surface)} case"


def missed(documents: Sequence[Document], found: Sequence[Found]) -> list[Class]:
    """Return the classes of reference spans, most misses first."""
    classes: dict[str, Class] = {}
    for document, one in zip(documents, found, strict=True):
        hidden = bytearray(len(document.text))
        for span in one.spans:
            hidden[span.begin : span.end] = b"\1" * (span.end - span.begin)
        for mark in document.gold or ():
            group = classes.setdefault(name := name_of(document.text, mark), Class(name))
            group.spans += 1
            readable = [i for i in range(mark.begin, mark.end) if document.text[i].isalnum() and not hidden[i]]
            if readable:
                group.wrong += 1
                group.partly += any(hidden[mark.begin : mark.end])
                group.examples.append((document.id, quoted(document.text, mark.begin, mark.end)))
    return _ordered(classes)


def false(documents: Sequence[Document], found: Sequence[Found]) -> list[Class]:
    """Return the classes of found spans, most false ones first."""
    classes: dict[str, Class] = {}
    for document, one in zip(documents, found, strict=True):
        marks = [*(document.gold or ()), *document.optional]
        for span in one.spans:
            group = classes.setdefault(name := name_of(document.text, span), Class(name))
            group.spans += 1
            if not any(m.begin < span.end and span.begin < m.end for m in marks):
                group.wrong += 1
                group.examples.append((document.id, quoted(document.text, span.begin, span.end)))
    return _ordered(classes)


def chosen(group: Class, many: int) -> list[str]:
    """Return some quotations of a class, of different documents and spread over the corpus."""
    first = list(dict(reversed(group.examples)).values())[::-1]
    step = max(1, len(first) // many)
    return first[::step][:many]


def quoted(text: str, begin: int, end: int) -> str:
    """Return a span in brackets with the text around it, on one line."""
    surface = text[begin:end] if end - begin <= LONGEST else text[begin : begin + LONGEST] + "…"
    before, after = text[max(0, begin - AROUND) : begin], text[end : end + AROUND]
    if begin > AROUND:  # no part of a word at either end
        before = before[before.find(" ") + 1 :] if " " in before else before
    if end + AROUND < len(text) and " " in after:
        after = after[: after.rfind(" ")]
    return " ".join(f"{before}[{surface}]{after}".replace("`", "'").split())


def rows(classes: Sequence[Class], examples: int = 2, least: int = 1) -> Iterator[list[str]]:
    """Yield the cells of each class with at least `least` wrong spans: name, numbers, quotations."""
    for group in classes:
        if group.wrong >= least:
            told = "<br>".join(f"`{q}`" for q in chosen(group, examples))
            yield [group.name, f"{group.wrong:,}", f"{group.partly:,}", f"{group.spans:,}", told]


def _ordered(classes: dict[str, Class]) -> list[Class]:
    return sorted(classes.values(), key=lambda c: (-c.wrong, c.name))
