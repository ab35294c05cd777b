"""Reference annotations: spans that people made, checked and put into the view `gold`, whatever file they came from."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from ..pipeline.errors import ReaderError
from ..typesystem import GOLD_VIEW, Cas, Phi, PhiKind, View

_LABEL = re.compile(r"[^\W\d][\w./:-]{0,60}")

Kinds = Mapping[str, PhiKind | None]
"""PHI kinds of labels that are called otherwise; None drops a label."""
Overlaps = Literal["error", "longest", "first", "keep"]
"""What becomes of reference spans that share characters."""


class Reference(NamedTuple):
    """A reference span in code points. `name` is what messages call it."""

    begin: int
    end: int
    kind: PhiKind
    name: str


def kind_of(label: str, kinds: Kinds, scheme: str = "") -> PhiKind | None:
    """The kind of a label: what `kinds` says, else the kind of that name, or with that label in `scheme`.

    None for a label that is dropped. Raises ReaderError that names the nearest label.
    """
    if label in kinds:
        return kinds[label]
    if not _LABEL.fullmatch(label):  # not to be repeated: it may be text of the document in the wrong field
        raise ReaderError("its label is no name of a kind (letters, digits, _ . / -); `kinds` can translate or drop it")
    try:
        return PhiKind.of_scheme(scheme, label) if scheme else PhiKind.of(label)
    except ValueError as error:
        reason = str(error)
    raise ReaderError(f"{reason}; `kinds` can translate or drop it")


def make_gold(cas: Cas, spans: Iterable[Reference], overlaps: Overlaps = "error") -> View:
    """Makes the gold view: the same text, a Phi for each span. A span that is there twice with one kind counts once.

    `overlaps`: `longest` keeps the longest of overlapping spans, `first` the one that was given first, `keep` all of them.
    Raises ReaderError for spans that overlap, unless `overlaps` says which to keep, and for spans that leave the text or are
    empty.
    """
    limit = len(cas.text)
    once: dict[tuple[int, int, PhiKind], Reference] = {}
    for span in spans:
        if not 0 <= span.begin < span.end <= limit:
            raise ReaderError(f"{span.name}: {span.begin}:{span.end} is no span of the text (0:{limit})")
        once.setdefault((span.begin, span.end, span.kind), span)
    kept = _disjoint(list(once.values()), overlaps)
    view = cas.create_view(GOLD_VIEW, cas.text)
    view.add_all([Phi(span.begin, span.end, kind=span.kind) for span in kept])
    return view


def _disjoint(spans: list[Reference], overlaps: Overlaps) -> list[Reference]:
    """The spans in text order, without those that lose against another one that they overlap."""
    order = {id(span): n for n, span in enumerate(spans)}
    if overlaps == "keep":
        return sorted(spans, key=lambda s: (s.begin, s.end, order[id(s)]))
    if overlaps == "longest":
        spans = sorted(spans, key=lambda s: (s.begin - s.end, s.begin, order[id(s)]))
    if overlaps == "error":
        spans = sorted(spans, key=lambda s: (s.begin, s.end, order[id(s)]))
        for one, other in itertools.pairwise(spans):
            if other.begin < one.end:
                names = sorted((one, other), key=lambda s: order[id(s)])
                raise ReaderError(f"{names[0].name} and {names[1].name} overlap; `overlaps` can say which to keep")
        return spans
    taken = bytearray(max((s.end for s in spans), default=0))
    kept = []
    for span in spans:
        if not any(taken[span.begin : span.end]):
            taken[span.begin : span.end] = b"\x01" * (span.end - span.begin)
            kept.append(span)
    return sorted(kept)


def add_gold(cas: Cas, spans: Any, kinds: Kinds, field: str, overlaps: Overlaps = "error") -> None:
    """Makes the gold view from a field of a record.

    A span is an object with `begin` (or `start`), `end` and `kind` (or `label`), or a list of these three; offsets are code
    points, half-open. Raises ReaderError for spans that are not like that, leave the text or overlap; the message names
    the span by its number.
    """
    if not isinstance(spans, list):
        raise ReaderError(f"field {field}: expected a list of spans")
    try:
        made = [_reference(s, f"span {n}", kinds) for n, s in enumerate(spans, 1)]
        make_gold(cas, [s for s in made if s is not None], overlaps)
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
        raise ReaderError(f"{name}: expected whole numbers as begin and end and a string as kind")
    try:
        kind = kind_of(label, kinds)
    except ReaderError as error:
        raise ReaderError(f"{name}: {error}") from None
    return None if kind is None else Reference(begin, end, kind, name)
