"""Reference annotations: spans made by people, validated and added to the view `gold`. Used by all readers of annotations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from ..pipeline.errors import ReaderError
from ..typesystem import GOLD_VIEW, Cas, Phi, PhiKind, View

_LABEL = re.compile(r"[^\W\d][\w./:-]{0,60}")

Kinds = Mapping[str, PhiKind | None]
"""PHI kinds of labels with other names; None drops a label."""
Overlaps = Literal["error", "longest", "first", "keep"]
"""How to handle reference spans that share characters."""


class Reference(NamedTuple):
    """A reference span in code points. `name` identifies it in messages."""

    begin: int
    end: int
    kind: PhiKind
    name: str


def check_scheme(scheme: str) -> None:
    """Raise ValueError for a label scheme that does not exist; the empty scheme means names of PHI kinds."""
    if scheme:
        try:
            PhiKind.labels(scheme)
        except ValueError as error:
            raise ValueError(f"scheme: {error}") from None


def kind_of(label: str, kinds: Kinds, scheme: str = "") -> PhiKind | None:
    """Return the kind of a label: from `kinds`, else from `scheme`, or, without a scheme, the kind of that name.

    Returns None for a label that is dropped. Raises ReaderError that names the nearest label.
    """
    if label in kinds:
        return kinds[label]
    if not _LABEL.fullmatch(label):  # not repeated in the message: it may be document text in the wrong field
        raise ReaderError(
            "its label is not the name of a kind (letters, digits, _ . / -); `kinds` can translate or drop it"
        )
    try:
        return PhiKind.of_scheme(scheme, label) if scheme else PhiKind.of(label)
    except ValueError as error:
        reason = str(error)
    raise ReaderError(f"{reason}; `kinds` can translate or drop it")


def own_kind(label: str) -> PhiKind:
    """Return the kind called like a label, defined if it is missing. Raises ReaderError that does not repeat the label."""
    try:
        return PhiKind.of_label(label)
    except ValueError as error:
        raise ReaderError(f"{error}; `kinds` can translate or drop it") from None


def make_gold(cas: Cas, spans: Iterable[Reference], overlaps: Overlaps = "error") -> View:
    """Create the gold view: the same text with a Phi for each span. Equal spans of one kind count once.

    `overlaps`: `longest` keeps the longest of overlapping spans, `first` the one given first, `keep` all of them.
    Raises ReaderError for spans that are empty or outside the text, and, with `overlaps` "error", for overlapping spans.
    """
    limit = len(cas.text)
    unique: dict[tuple[int, int, PhiKind], Reference] = {}
    for span in spans:
        if not 0 <= span.begin < span.end <= limit:
            raise ReaderError(f"{span.name}: {span.begin}:{span.end} is not a span of the text (0:{limit})")
        unique.setdefault((span.begin, span.end, span.kind), span)
    kept = _disjoint(list(unique.values()), overlaps)
    view = cas.create_view(GOLD_VIEW, cas.text)
    view.add_all([Phi(span.begin, span.end, kind=span.kind) for span in kept])
    return view


def _disjoint(spans: list[Reference], overlaps: Overlaps) -> list[Reference]:
    """Return the spans to keep, in text order."""
    order = {id(span): n for n, span in enumerate(spans)}
    if overlaps == "longest":
        spans = sorted(spans, key=lambda s: (s.begin - s.end, s.begin, order[id(s)]))
    elif overlaps != "first":
        spans = sorted(spans, key=lambda s: (s.begin, s.end, order[id(s)]))
        for one, other in itertools.pairwise(spans) if overlaps == "error" else ():
            if other.begin < one.end:
                first, second = sorted((one, other), key=lambda s: order[id(s)])
                raise ReaderError(f"{first.name} and {second.name} overlap; `overlaps` can say which to keep")
        return spans
    taken = bytearray(max((s.end for s in spans), default=0))
    kept = []
    for span in spans:
        if not any(taken[span.begin : span.end]):
            taken[span.begin : span.end] = b"\x01" * (span.end - span.begin)
            kept.append(span)
    return sorted(kept)


def add_gold(cas: Cas, spans: Any, kinds: Kinds, field: str, overlaps: Overlaps = "error") -> None:
    """Create the gold view from a field of a record.

    A span is an object with `begin` (or `start`), `end` and `kind` (or `label`), or a list of these three; offsets are code
    points, half-open. Raises ReaderError for any other value and for spans that `make_gold` rejects; the message identifies
    the span by its number.
    """
    if not isinstance(spans, list):
        raise ReaderError(f"field {field}: expected a list of spans")
    try:
        references = [_reference(s, f"span {n}", kinds) for n, s in enumerate(spans, 1)]
        make_gold(cas, [r for r in references if r is not None], overlaps)
    except ReaderError as error:
        raise ReaderError(f"field {field}: {error}") from None


def _reference(span: Any, name: str, kinds: Kinds) -> Reference | None:
    if isinstance(span, list) and len(span) == 3:
        begin, end, label = span
    elif isinstance(span, Mapping):
        begin, end = span.get("begin", span.get("start")), span.get("end")
        label = span.get("kind", span.get("label"))
    else:
        raise ReaderError(f"{name}: expected an object with begin, end and kind")
    if type(begin) is not int or type(end) is not int or not isinstance(label, str):
        raise ReaderError(f"{name}: expected integers as begin and end and a string as kind")
    try:
        kind = kind_of(label, kinds)
    except ReaderError as error:
        raise ReaderError(f"{name}: {error}") from None
    return None if kind is None else Reference(begin, end, kind, name)
