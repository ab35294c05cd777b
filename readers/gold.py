"""Reference annotations in records: spans that people made, put into the view `gold`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from ..pipeline.errors import ReaderError
from ..typesystem import GOLD_VIEW, Cas, Phi, PhiKind


def add_gold(cas: Cas, spans: Any, kinds: Mapping[str, PhiKind], field: str) -> None:
    """Makes the gold view: the same text, a Phi for each span.

    A span is an object with `begin` (or `start`), `end` and `kind` (or `label`), or a list of these three; offsets are code
    points, half-open. `kinds` translates labels that are no PHI kinds. Raises ReaderError for spans that are not like
    that, leave the text or overlap; the message names the span by its number.
    """
    if not isinstance(spans, list):
        raise ReaderError(f"field {field}: expected a list of spans")
    phis = sorted((_phi(s, n, len(cas.text), kinds, field) for n, s in enumerate(spans, 1)), key=lambda p: (p[0], p[1]))
    for (_, end, _, first), (begin, _, _, second) in itertools.pairwise(phis):
        if begin < end:
            raise ReaderError(f"field {field}: spans {min(first, second)} and {max(first, second)} overlap")
    cas.create_view(GOLD_VIEW, cas.text).add_all(Phi(begin, end, kind=kind) for begin, end, kind, _ in phis)


def _phi(span: Any, number: int, limit: int, kinds: Mapping[str, PhiKind], field: str) -> tuple[int, int, PhiKind, int]:
    where = f"field {field}: span {number}"
    if isinstance(span, list) and len(span) == 3:
        begin, end, label = span
    elif isinstance(span, Mapping):
        begin, end = span.get("begin", span.get("start")), span.get("end")
        label = span.get("kind", span.get("label"))
    else:
        raise ReaderError(f"{where}: expected an object with begin, end and kind")
    if type(begin) is not int or type(end) is not int or not isinstance(label, str):
        raise ReaderError(f"{where}: expected whole numbers as begin and end and a string as kind")
    if not 0 <= begin < end <= limit:
        raise ReaderError(f"{where}: {begin}:{end} is no span of the text (0:{limit})")
    if label in kinds:
        return begin, end, kinds[label], number
    try:
        return begin, end, PhiKind.of(label), number
    except ValueError as error:
        reason = str(error)
    raise ReaderError(f"{where}: {reason}; `kinds` can translate it")
