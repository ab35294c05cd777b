"""Compute the effect of one decision on an open document, without applying it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....typesystem import PhiKind
from . import adjudication, state
from .document import Document
from .same import Leak, LeakFinder
from .state import LIVE, REJECTED, Change, ReviewError, SpanTable


@dataclass(slots=True, eq=False, repr=False)
class OpenDocument:
    """A document with its decisions."""

    document: Document
    table: SpanTable
    leak_finder: LeakFinder
    differences: list[adjudication.Difference]
    _leaks: list[Leak] | None = None

    @property
    def leaks(self) -> list[Leak]:
        if self._leaks is None:
            self._leaks = self.leak_finder.leaks(self.table)
        return self._leaks

    @property
    def open_differences(self) -> list[adjudication.Difference]:
        return [d for d in self.differences if adjudication.is_open(self.table, d)]

    def leak(self, sid: str) -> Leak | None:
        """Return the possible leak with this id, if there is one."""
        return next((leak for leak in self.leaks if leak.sid == sid), None)

    def changed(self, sids: Iterable[str]) -> None:
        """Update cached values after spans changed. Possible leaks depend only on masked and rejected spans."""
        before = self.table.spans
        self.table.changed()
        if any(_relevant(before.get(sid)) != _relevant(self.table.spans.get(sid)) for sid in sids):
            self._leaks = None


def _relevant(span: state.Span | None) -> tuple[Any, ...]:
    """Return what the leak search depends on: bounds and kind of a masked or rejected span, and whether it is masked."""
    return (*span[:3], span.status in LIVE) if span is not None and span.status in (*LIVE, REJECTED) else ()


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a decision on one document."""

    change: Change
    span: str = ""
    """The span to show next."""
    done: bool | None = None
    """New value of the document's mark; None leaves it unchanged."""
    message: str = ""


def effect_of(op: str, opened: OpenDocument, values: Mapping[str, Any]) -> Effect:
    """Return the effect of a decision: accept, reject, kind, move, add, choose, done, reopen. Raises ReviewError."""
    table, sid = opened.table, str(values.get("span", ""))
    if op in ("accept", "kind") and sid not in table.spans and (leak := opened.leak(sid)) is not None:
        change = state.add(table, leak.begin, leak.end, str(values.get("kind") or leak.kind))
        return Effect(change, next(iter(change)))
    if op == "accept":
        return Effect(state.accept(table, sid), sid)
    if op == "reject":
        if (leak := opened.leak(sid)) is not None:
            return Effect({sid: state.Span(leak.begin, leak.end, leak.kind, REJECTED)}, sid)
        return Effect(state.reject(table, sid), sid)
    if op == "kind":
        return Effect(state.rename(table, sid, _kind(values)), sid)
    if op == "move":
        return Effect(state.move(table, sid, int(values["begin"]), int(values["end"])), sid)
    if op == "add":
        change = state.add(table, int(values["begin"]), int(values["end"]), _kind(values))
        return Effect(change, next(iter(change)))
    if op == "choose":
        number = int(values.get("difference", -1))
        if not 0 <= number < len(opened.differences):
            raise ReviewError(f"no difference {number}; the document has {len(opened.differences)}")
        return Effect(adjudication.choose(table, opened.differences[number], str(values.get("side"))))
    if op == "done":
        if waiting := len(opened.open_differences):
            raise ReviewError(f"{waiting} differences wait for a choice")
        change = state.accept_open(table)
        return Effect(change, done=True, message=_done(len(change), len(opened.leaks)))
    if op == "reopen":
        return Effect({}, done=False)
    raise ReviewError("unknown decision")


def _done(accepted: int, leaks: int) -> str:
    """Return what a reviewer should know of a document that was marked as done. Accepting open spans changes no possible leak."""
    parts = [f"{accepted} open spans accepted"] if accepted else []
    if leaks:
        parts.append(f"{leaks} possible leak{'s' * (leaks != 1)} {'stay' if leaks != 1 else 'stays'} readable")
    return "; ".join(parts)


def _kind(values: Mapping[str, Any]) -> str:
    try:
        return PhiKind.of(str(values.get("kind"))).name
    except ValueError:
        raise ReviewError("no PHI kind has that name") from None
