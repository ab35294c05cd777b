"""Renders a processed document: the requested outputs, and original text only if it was requested."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from ....typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, write_xmi
from ....typesystem.json_cas.writer import write_jsoncas
from ....typesystem.text import Utf16
from ....typesystem.typesystem import own_types
from ...contract.leaks import leaks_of
from .messages import Output, ProcessRequest
from .problems import Problem

_BEYOND_ASCII = re.compile("[^\x00-\x7f]")


def rendered(cas: Cas, request: ProcessRequest, outputs: list[Output]) -> dict[str, Any]:
    """Return the fields of the response. Raises Problem if the pipeline does not create a requested output."""
    data: dict[str, Any] = {"offsets": request.offsets}
    if request.id is not None:
        data["id"] = request.id
    if "masked" in outputs:
        data["masked"] = _masked(cas, request)
    if "annotations" in outputs or "candidates" in outputs:
        data |= _annotations(cas, request.offsets, outputs)
    if "xmi" in outputs:
        data["xmi"] = xmi(cas, request).decode()
    if "jsoncas" in outputs:
        data["jsoncas"] = json.loads(write_jsoncas(_released(cas, request), views=request.views))
    if "typesystem" in outputs:
        data["typesystem"] = (cas.typesystem or own_types()).to_xml().decode()
    return data


def masked_text(cas: Cas, request: ProcessRequest) -> str:
    """Return the masked text. Raises Problem if the pipeline has no masker, rather than return the original, and if the leak
    gate refuses the document."""
    if not cas.has_view(DEIDENTIFIED_VIEW):
        raise Problem(
            422, "no-masker", "masked: this pipeline has no masker; expected output annotations or candidates"
        )
    _refuse_leaks(cas, request)
    return cas.deidentified


def _refuse_leaks(cas: Cas, request: ProcessRequest) -> None:
    """Raise Problem with the places in the original text if the leak gate found leaks in the masked text."""
    leaks = leaks_of(cas)
    if not leaks:
        return
    at = converter(cas.text, request.offsets)
    places = [
        {"begin": at(k.original_begin), "end": at(k.original_end), "kind": k.kind.name, "check": k.check}
        for k in leaks
        if k.original_begin >= 0 and k.check != "fields"
    ]
    counts = Counter(f"{k.check} {k.kind.name}" for k in leaks)
    found = ", ".join(f"{what} {n}" for what, n in sorted(counts.items()))
    members = {"document": request.id or cas.id or None, "offsets": request.offsets, "leaks": places}
    detail = f"the leak gate refused the document: its masked text is still readable at {len(leaks)} places ({found})"
    raise Problem(422, "leak", detail.replace(" 1 places", " 1 place"), members=members)


def xmi(cas: Cas, request: ProcessRequest) -> bytes:
    """Return the document as XMI. Raises as `_released` does."""
    return write_xmi(_released(cas, request), views=request.views)


def _released(cas: Cas, request: ProcessRequest) -> Cas:
    """Return the document or, if only its masked text is returned, a copy without offsets of the original.

    Raises Problem for a missing view, and if the leak gate found leaks in requested masked text.
    """
    views = request.views
    for number, name in enumerate(views or ()):
        if not cas.has_view(name):
            there = ", ".join(view.name for view in cas.views)
            raise Problem(422, "no-view", f"#/views/{number}: no such view; the document has {there}")
    if DEIDENTIFIED_VIEW in (views or ()):
        _refuse_leaks(cas, request)
    if not views or INITIAL_VIEW in views:
        return cas
    bare = cas.copy()
    for view in bare.views:
        for span in view.select(MaskedSpan):
            span.original_begin = span.original_end = 0
    return bare


def _masked(cas: Cas, request: ProcessRequest) -> dict[str, Any]:
    text = masked_text(cas, request)
    at = converter(text, request.offsets)
    spans = []
    for span in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
        data = {"begin": at(span.begin), "end": at(span.end), "kind": span.kind.name, "operator": span.operator}
        spans.append({**data, "fallback": span.fallback} if span.fallback else data)
    return {"text": text, "spans": spans}


def _annotations(cas: Cas, unit: str, outputs: list[Output]) -> dict[str, Any]:
    at = converter(cas.text, unit)
    final = cas.select(Phi)
    data: dict[str, Any] = {}
    if "annotations" in outputs:
        data["annotations"] = [_span(phi, at) for phi in final]
    if "candidates" in outputs:
        number = {id(phi): n for n, phi in enumerate(final)}
        data["candidates"] = [
            {**_span(c, at), "rule": c.rule, "winner": None if c.winner is None else number.get(id(c.winner))}
            for c in cas.select(PhiCandidate)
        ]
    return data


def _span(item: Phi | PhiCandidate, at: Any) -> dict[str, Any]:
    """Return a span without its `value`, which is original text in another form."""
    return {
        "begin": at(item.begin),
        "end": at(item.end),
        "kind": item.kind.name,
        "confidence": float(item.confidence),
        "source": item.source,
        "reason": item.reason,
    }


def encoded(data: Any) -> bytes:
    """Return JSON as UTF-8, also for strings with lone surrogates."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


class Utf8:
    """Converts offsets of one text from code points to bytes of UTF-8. Needs memory only for characters beyond ASCII."""

    __slots__ = ("_at", "_more")

    def __init__(self, text: str) -> None:
        found = [] if text.isascii() else [(m.start(), m.group()) for m in _BEYOND_ASCII.finditer(text)]
        self._at = [position for position, _ in found]
        self._more = [0, *accumulate(_bytes(c) - 1 for _, c in found)]

    def to_utf8(self, offset: int) -> int:
        """Return the number of bytes before a code point. A lone surrogate counts as U+FFFD, which replaces it."""
        return offset + self._more[bisect_left(self._at, offset)]


def _bytes(character: str) -> int:
    return 2 if character < "\u0800" else 3 if character < "\U00010000" else 4


def converter(text: str, unit: str) -> Callable[[int], int]:
    """Return the function that converts code points to the unit of a client: code points, UTF-16 code units or bytes of UTF-8."""
    if unit == "utf16":
        return Utf16(text).to_utf16
    if unit == "utf8":
        return Utf8(text).to_utf8
    return int
