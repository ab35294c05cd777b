"""The spans of one document, each with a status, and the changes that decisions make.

Live spans (open or accepted) never overlap. The last decision takes precedence: an accepted, added or moved span keeps its
bounds, and every live span that it overlaps is reduced to the parts outside of them, or rejected if none remains.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ....annotators.resolving.candidates import has_content, trim
from ...errors import CaspipeError

OPEN, ACCEPTED, REJECTED, SUGGESTED, LEFT, RIGHT = "open", "accepted", "rejected", "suggested", "left", "right"
STATUSES = (OPEN, ACCEPTED, REJECTED, SUGGESTED, LEFT, RIGHT)
"""`open`: found, without a decision; `suggested`: removed by the pipeline, can be restored; `left`, `right`: only one of two
annotators has the span, and the adjudicator has not chosen yet."""
LIVE = (OPEN, ACCEPTED)
"""Statuses of spans that are masked and exported as gold."""


class ReviewError(CaspipeError):
    """A decision that is not possible, such as one about an unknown span or a changed text. The message contains no text."""


class Span(NamedTuple):
    """A span of a document under review. Offsets are code points, half-open."""

    begin: int
    end: int
    kind: str
    status: str


Change = dict[str, Span | None]
"""New value of each span by id; None restores the span of the document or, if it has none, removes the span."""


class SpanTable:
    """The spans of one document: the original ones (`base`), overridden by those of decisions (`own`)."""

    def __init__(self, text: str, base: Mapping[str, Span], own: dict[str, Span] | None = None) -> None:
        """`own` is not copied; a caller that changes it must call `changed`."""
        self.text = text
        self.base = dict(base)
        self.own: dict[str, Span] = {} if own is None else own
        self._spans: dict[str, Span] | None = None
        self._live: list[tuple[int, int, str]] | None = None

    @property
    def spans(self) -> dict[str, Span]:
        """All spans by id, including rejected and suggested ones; read-only."""
        if self._spans is None:
            self._spans = {**self.base, **self.own}
        return self._spans

    @property
    def live(self) -> list[tuple[int, int, str]]:
        """(begin, end, id) of the live spans in text order; read-only."""
        if self._live is None:
            self._live = sorted((s.begin, s.end, sid) for sid, s in self.spans.items() if s.status in LIVE)
        return self._live

    def span(self, sid: str) -> Span:
        """Return the span with this id. Raises ReviewError."""
        try:
            return self.spans[sid]
        except KeyError:
            raise ReviewError("this document has no such span; it may have been undone") from None

    def over(self, begin: int, end: int) -> list[str]:
        """Return ids of the live spans that overlap `begin:end`, in text order."""
        live = self.live
        first = bisect_left(live, (begin, -1, ""))
        first -= first > 0 and live[first - 1][1] > begin
        return [sid for _, _, sid in live[first : bisect_left(live, (end, -1, ""))]]

    def readable(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of `begin:end` that no live span covers, in text order, without punctuation at their edges."""
        parts = []
        for span in (*(self.spans[sid] for sid in self.over(begin, end)), Span(end, end, "", ACCEPTED)):
            first, last = _after(self.text, *_before(self.text, begin, span.begin))
            if first < last:
                parts.append((first, last))
            begin = max(begin, span.end)
        return parts

    def apply(self, change: Change) -> Change:
        """Make a change, and return its inverse."""
        before = applied(self.own, change)
        self.changed()
        return before

    def changed(self) -> None:
        """Discard cached values. Must be called after `own` was changed by others."""
        self._spans = self._live = None

    def suggest_overridden(self) -> None:
        """Make live base spans that overlap decided ones suggestions: after a new run, decisions take precedence."""
        decided = SpanTable(self.text, {sid: s for sid, s in self.own.items() if s.status in LIVE})
        for sid, span in self.base.items():
            if span.status in LIVE and sid not in self.own and decided.over(span.begin, span.end):
                self.base[sid] = span._replace(status=SUGGESTED)
        self.changed()

    def fresh(self, taken: Iterable[str] = ()) -> str:
        """Return an id for a new span."""
        used = {int(sid[1:]) for sid in (*self.own, *taken) if sid[:1] == "a" and sid[1:].isdigit()}
        return f"a{max(used, default=0) + 1}"


def applied(own: dict[str, Span], change: Change) -> Change:
    """Make a change in decided spans, and return its inverse."""
    before: Change = {sid: own.get(sid) for sid in change}
    for sid, span in change.items():
        if span is None:
            own.pop(sid, None)
        else:
            own[sid] = span
    return before


def accept(table: SpanTable, sid: str) -> Change:
    """Return the change that accepts a span, which also restores a rejected or suggested one."""
    return put(table, sid, table.span(sid)._replace(status=ACCEPTED))


def reject(table: SpanTable, sid: str) -> Change:
    """Return the change that rejects a span."""
    return {sid: table.span(sid)._replace(status=REJECTED)}


def rename(table: SpanTable, sid: str, kind: str) -> Change:
    """Return the change that gives a span another kind and accepts it."""
    return put(table, sid, table.span(sid)._replace(kind=kind, status=ACCEPTED))


def move(table: SpanTable, sid: str, begin: int, end: int) -> Change:
    """Return the change that moves the bounds of a span, which becomes accepted. Raises ReviewError for invalid bounds."""
    begin, end = _checked(table.text, begin, end)
    return put(table, sid, table.span(sid)._replace(begin=begin, end=end, status=ACCEPTED))


def add(table: SpanTable, begin: int, end: int, kind: str) -> Change:
    """Return the change that adds a span, or gives the kind to a live span with the same bounds. Raises ReviewError as `move`."""
    begin, end = _checked(table.text, begin, end)
    same = next((sid for b, e, sid in table.live if (b, e) == (begin, end)), None)
    if same is not None:
        return rename(table, same, kind)
    return put(table, table.fresh(), Span(begin, end, kind, ACCEPTED))


def accept_open(table: SpanTable) -> Change:
    """Return the change that accepts every open span."""
    return {sid: s._replace(status=ACCEPTED) for sid, s in table.spans.items() if s.status == OPEN}


def put(table: SpanTable, sid: str, span: Span) -> Change:
    """Return the change that sets a live span, and reduces overlapping live spans to their parts outside of it."""
    change: Change = {sid: span}
    for other in table.over(span.begin, span.end):
        if other == sid:
            continue
        old = table.spans[other]
        outside = [_before(table.text, old.begin, span.begin), _after(table.text, span.end, old.end)]
        parts = [old._replace(begin=b, end=e) for b, e in outside if b < e]
        change[other] = parts[0] if parts else old._replace(status=REJECTED)
        if len(parts) > 1:
            change[table.fresh(change)] = parts[1]
    return change


def _before(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the bounds of a span's part before another span, without punctuation at its end; empty without any content."""
    while begin < end and not has_content(text[end - 1]):
        end -= 1
    return trim(text, begin, max(begin, end))


def _after(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the bounds of a span's part after another span, without punctuation at its begin; empty without any content."""
    while begin < end and not has_content(text[begin]):
        begin += 1
    return trim(text, begin, max(begin, end))


def _checked(text: str, begin: int, end: int) -> tuple[int, int]:
    if not 0 <= begin < end <= len(text):
        raise ReviewError(f"{begin}:{end} is not a span of the text (0:{len(text)})")
    begin, end = trim(text, begin, end)
    if begin == end:
        raise ReviewError("a span must not consist of white space alone")
    return begin, end
