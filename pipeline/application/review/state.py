"""The spans of one document, each with a status, and the changes that decisions make.

Live spans (open or accepted) never overlap. The last decision counts: a span that is accepted, added or moved keeps its bounds,
and every live span that it overlaps keeps only what lies beyond them; what covers nothing more is rejected.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ....annotators.resolving.candidates import has_content, trim
from ...errors import CaspipeError

OPEN, ACCEPTED, REJECTED, SUGGESTED, LEFT, RIGHT = "open", "accepted", "rejected", "suggested", "left", "right"
STATUSES = (OPEN, ACCEPTED, REJECTED, SUGGESTED, LEFT, RIGHT)
"""`open`: found and not decided; `suggested`: removed by the pipeline, can be restored; `left`, `right`: what one of two
annotators has and the other has not, before an adjudicator chose."""
LIVE = (OPEN, ACCEPTED)
"""Statuses of spans that are masked and become gold."""


class ReviewError(CaspipeError):
    """A decision cannot be made: an unknown span, bounds outside the text, a text that changed. Never holds text."""


class Span(NamedTuple):
    """A span of a document under review. Offsets are code points, half-open."""

    begin: int
    end: int
    kind: str
    status: str


Change = dict[str, Span | None]
"""New value of each span by its id; None brings back what the document itself says (or nothing)."""


class SpanTable:
    """The spans of one document: what the document brought (`base`), and over it what was decided (`own`)."""

    def __init__(self, text: str, base: Mapping[str, Span], own: dict[str, Span] | None = None) -> None:
        """`own` is kept, not copied; where others change it, they call `changed`."""
        self.text = text
        self.base = dict(base)
        self.own: dict[str, Span] = {} if own is None else own
        self._spans: dict[str, Span] | None = None
        self._live: list[tuple[int, int, str]] | None = None

    @property
    def spans(self) -> dict[str, Span]:
        """Every span by its id, rejected and suggested ones too. Leave it alone."""
        if self._spans is None:
            self._spans = {**self.base, **self.own}
        return self._spans

    @property
    def live(self) -> list[tuple[int, int, str]]:
        """(begin, end, id) of the live spans in text order. Leave it alone."""
        if self._live is None:
            self._live = sorted((s.begin, s.end, sid) for sid, s in self.spans.items() if s.status in LIVE)
        return self._live

    def span(self, sid: str) -> Span:
        """Return the span with this id. Raises ReviewError."""
        try:
            return self.spans[sid]
        except KeyError:
            raise ReviewError("no such span in this document: it was undone meanwhile") from None

    def over(self, begin: int, end: int) -> list[str]:
        """Return ids of the live spans that share a code point with `begin:end`, in text order."""
        live = self.live
        at = bisect_left(live, (begin, -1, ""))
        found = [live[at - 1][2]] if at and live[at - 1][1] > begin else []
        while at < len(live) and live[at][0] < end:
            found.append(live[at][2])
            at += 1
        return found

    def apply(self, change: Change) -> Change:
        """Make a change; returns the one that undoes it."""
        before = applied(self.own, change)
        self.changed()
        return before

    def changed(self) -> None:
        """To be called after `own` was changed from outside."""
        self._spans = self._live = None

    def suggest_overridden(self) -> None:
        """Step back with live spans of the base that overlap decided ones: after a new run, what was decided counts."""
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
    """Make a change in decided spans; returns the one that undoes it."""
    before: Change = {sid: own.get(sid) for sid in change}
    for sid, span in change.items():
        if span is None:
            own.pop(sid, None)
        else:
            own[sid] = span
    return before


def accept(table: SpanTable, sid: str) -> Change:
    """Accept a span. Restores a rejected or suggested one."""
    return put(table, sid, table.span(sid)._replace(status=ACCEPTED))


def reject(table: SpanTable, sid: str) -> Change:
    """Reject a span: its text is not PHI."""
    return {sid: table.span(sid)._replace(status=REJECTED)}


def rename(table: SpanTable, sid: str, kind: str) -> Change:
    """Return a span another kind, and accepts it."""
    return put(table, sid, table.span(sid)._replace(kind=kind, status=ACCEPTED))


def move(table: SpanTable, sid: str, begin: int, end: int) -> Change:
    """Return a span other bounds, and accepts it. Raises ReviewError if they hold nothing or leave the text."""
    begin, end = _checked(table.text, begin, end)
    return put(table, sid, table.span(sid)._replace(begin=begin, end=end, status=ACCEPTED))


def add(table: SpanTable, begin: int, end: int, kind: str) -> Change:
    """Add a span; if a live one has exactly these bounds, it gets the kind. Raises ReviewError as `move`."""
    begin, end = _checked(table.text, begin, end)
    same = next((sid for b, e, sid in table.live if (b, e) == (begin, end)), None)
    if same is not None:
        return rename(table, same, kind)
    return put(table, table.fresh(), Span(begin, end, kind, ACCEPTED))


def accept_open(table: SpanTable) -> Change:
    """Accept every open span: what the reviewer has seen and let stand."""
    return {sid: s._replace(status=ACCEPTED) for sid, s in table.spans.items() if s.status == OPEN}


def put(table: SpanTable, sid: str, span: Span) -> Change:
    """Put a live span in its place; live spans around it keep what lies beyond it."""
    change: Change = {sid: span}
    for other in table.over(span.begin, span.end):
        if other == sid:
            continue
        old = table.spans[other]
        rests = [_before(table.text, old.begin, span.begin), _after(table.text, span.end, old.end)]
        parts = [old._replace(begin=b, end=e) for b, e in rests if b < e]
        change[other] = parts[0] if parts else old._replace(status=REJECTED)
        if len(parts) > 1:
            change[table.fresh(change)] = parts[1]
    return change


def _before(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return what is left of a span before another, without the punctuation at the joint; empty if it says nothing."""
    while begin < end and not has_content(text[end - 1]):
        end -= 1
    return trim(text, begin, max(begin, end))


def _after(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return what is left of a span behind another, likewise."""
    while begin < end and not has_content(text[begin]):
        begin += 1
    return trim(text, begin, max(begin, end))


def _checked(text: str, begin: int, end: int) -> tuple[int, int]:
    if not 0 <= begin < end <= len(text):
        raise ReviewError(f"{begin}:{end} is not a span of the text (0:{len(text)})")
    begin, end = trim(text, begin, end)
    if begin == end:
        raise ReviewError("a span of white space alone says nothing")
    return begin, end
