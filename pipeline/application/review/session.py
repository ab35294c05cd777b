"""The session of one annotator: documents, decisions, journal, and the list of documents."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...errors import CaspipeError, ComponentError
from . import adjudication
from .catalogue import Catalogue
from .decisions import OpenDocument, effect_of
from .document import Document
from .history import DocumentDecisions, Edit, Edits, History
from .same import LeakFinder, same_words
from .state import OPEN, SUGGESTED, ReviewError, SpanTable
from .store import Journal


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The result of a request: the changed documents, the span to show, and a message."""

    document: int
    span: str = ""
    message: str = ""
    touched: Mapping[int, list[str]] = field(default_factory=dict)
    """Ids of the changed spans, by number of the document."""
    known: bool = True
    """False if `touched` does not contain the ids, because the request is a repeated one."""


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """The two annotators whose differences are adjudicated."""

    left: str
    right: str
    documents: tuple[Mapping[str, DocumentDecisions], Mapping[str, DocumentDecisions]]

    def ready(self, name: str) -> bool:
        """Return whether both are done with a document."""
        return all(name in side and side[name].done for side in self.documents)


@dataclass(slots=True)
class Row:
    """The counts of a document for the list."""

    number: int
    values: dict[str, Any] = field(default_factory=dict)
    version: int = 0


class Session:
    """A thread-safe review session. Every decision is written to the journal before it takes effect."""

    def __init__(
        self,
        catalogue: Catalogue,
        journal: Journal,
        *,
        pair: AnnotatorPair | None = None,
        others: Mapping[str, Mapping[str, DocumentDecisions]] | None = None,
    ) -> None:
        """`pair`: the annotators to adjudicate; `others`: decisions of other annotators by name.

        Raises ReviewError for an invalid journal.
        """
        self.catalogue = catalogue
        self.journal = journal
        self.pair = pair
        self.others = dict(others or {})
        self.history = History(journal.records)
        self.lock = threading.RLock()
        self.version = 1
        self.scanned = 0
        self._opened: dict[int, OpenDocument] = {}
        self._rows = [Row(i) for i in range(len(catalogue))]
        self._numbers = {name: i for i, name in enumerate(catalogue.ids)}

    # -- documents and rows --------------------------------------------------------------------------------------

    def opened(self, number: int) -> OpenDocument:
        """Return a document with its decisions. Raises ReviewError if it cannot be read or its text changed since the review."""
        if not 0 <= number < len(self.catalogue):
            raise ReviewError(f"no document {number}; the review has {len(self.catalogue)}")
        document = self.catalogue.document(number)
        with self.lock:
            entry = self._opened.get(number)
            if entry is None or (entry.document is not document and self.pair is None):
                entry = self._opened[number] = self._open(document)
                if len(self._opened) > 64:
                    self._close_uncached(number)
            return entry

    def _open(self, document: Document) -> OpenDocument:
        decided = self.history.documents.get(document.id)
        if decided is not None and decided.digest != document.digest:
            raise ReviewError(
                f"document {document.id}: its text has changed since the review; its decisions are not applied"
            )
        if self.pair is not None:
            left, right = (side.get(document.id) for side in self.pair.documents)
            if not self.pair.ready(document.id) or left is None or right is None:
                raise ReviewError(
                    f"document {document.id}: {self.pair.left} and {self.pair.right} have not both completed it"
                )
            document = adjudication.merge_decisions(document, left, right, (self.pair.left, self.pair.right))
        if decided is None:
            decided = DocumentDecisions(document.digest)
        table = SpanTable(document.text, document.base, decided.own)
        table.suggest_overridden()
        differences = adjudication.differences(document) if self.pair is not None else []
        return OpenDocument(document, table, LeakFinder(document), differences)

    def _close_uncached(self, but: int) -> None:
        """Close documents, except `but`, that the catalogue no longer caches."""
        for number in [n for n in self._opened if n != but and not self.catalogue.keeps(n)]:
            del self._opened[number]

    def decided(self, document: Document) -> DocumentDecisions:
        return self.history.documents.get(document.id) or DocumentDecisions(document.digest)

    def done(self, number: int) -> bool:
        """Return whether a document is done and has no open difference. Raises ReviewError as `opened` does."""
        opened = self.opened(number)
        with self.lock:
            return self.decided(opened.document).done and not opened.open_differences

    def scan(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Read every document once, for the list."""
        for number in range(len(self.catalogue)):
            if stop():
                return
            if not self._rows[number].values:
                self.refresh([number])
            self.scanned = number + 1

    def refresh(self, numbers: Iterable[int]) -> None:
        """Update the rows of documents."""
        for number in numbers:
            version = self._rows[number].version
            try:
                values = self._count(number)
            except CaspipeError as error:
                values = {"fault": str(error)}
            except Exception as error:  # report only class and position, since the message may quote the document
                values = {"fault": str(ComponentError("review", error))}
            with self.lock:
                if self._rows[number].version != version:
                    continue  # another thread has updated the row after a decision
                self.version += 1
                self._rows[number] = Row(number, values, self.version)

    def rows(self, after: int = 0) -> list[dict[str, Any]]:
        """Return the rows of the list that changed after a version."""
        with self.lock:
            ids = self.catalogue.ids
            return [
                {"i": r.number, "id": ids[r.number], **r.values} for r in self._rows if r.version > after or not after
            ]

    def _count(self, number: int) -> dict[str, Any]:
        name = self.catalogue.ids[number]
        if self.pair is not None and not self.pair.ready(name):
            return {"waiting": True}
        opened = self.opened(number)
        with self.lock:
            spans, items = opened.table.spans, opened.document.items
            live = [(sid, spans[sid]) for _, _, sid in opened.table.live]
            waiting = [sid for sid, s in live if s.status == OPEN]
            confidences = [items[sid].confidence for sid in waiting if sid in items]
            done = self.done(number)
            return {
                "size": len(opened.document.text),
                "quarantined": opened.document.quarantined,
                "live": len(live),
                "open": len(waiting),
                "low": min(confidences, default=1.0),
                "disputed": sum(items[sid].disputed for sid in waiting if sid in items),
                "suggested": sum(s.status == SUGGESTED for s in spans.values()),
                "leaks": len(opened.leaks),
                "kinds": dict(sorted(Counter(s.kind for _, s in live).items())),
                "done": done,
                "differ": len(opened.open_differences) if self.pair else self._differing(opened) if done else 0,
            }

    def _differing(self, opened: OpenDocument) -> int:
        """Return the number of other annotators who have completed the document with other spans."""
        mine = sorted((b, e, opened.table.spans[sid].kind) for b, e, sid in opened.table.live)
        count = 0
        for decisions in self.others.values():
            theirs = decisions.get(opened.document.id)
            if theirs is not None and theirs.done and theirs.digest == opened.document.digest:
                count += (
                    sorted(adjudication.live_spans(self.catalogue.document(self._numbers[opened.document.id]), theirs))
                    != mine
                )
        return count

    # -- decisions -----------------------------------------------------------------------------------------------

    def decide(self, op: str, number: int, key: str, **values: Any) -> DecisionResult:
        """Carry out one decision: accept, reject, kind, move, add, choose, done, reopen, same. Raises ReviewError.

        `key` identifies the request, so that a repeated request is not carried out again.
        """
        if op == "same":
            return self._same(number, key, str(values.get("span", "")), values.get("scope") == "all")
        self.opened(number)  # reads the document before the lock is held
        with self.lock:
            if key in self.history.keys:
                return self._again(key, number)
            opened = self.opened(number)
            effect = effect_of(op, opened, values)
            edit = Edit(opened.document.digest, effect.change, effect.done)
            return self._carry_out(op, {opened.document.id: edit}, key, number, effect.span, effect.message)

    def preview(self, number: int, sid: str) -> dict[str, dict[str, int]]:
        """Return the effect of a decision on all occurrences of a span's words, here and in all documents. Raises ReviewError."""
        here = self._plans([number], number, sid)
        everywhere = self._plans(range(len(self.catalogue)), number, sid)
        return {"here": _sum(here), "all": _sum(everywhere)}

    def _plans(self, numbers: Any, number: int, sid: str) -> dict[int, Any]:
        opened = self.opened(number)
        like = opened.table.span(sid)
        words = opened.document.text[like.begin : like.end]
        plans = {}
        for n in numbers:
            try:
                other = self.opened(n)
            except CaspipeError:
                continue
            if words in other.document.text:
                with self.lock:
                    plan = same_words(other.table, words, like, sid if n == number else "")
                if any(plan[1:]):
                    plans[n] = plan
        return plans

    def _same(self, number: int, key: str, sid: str, everywhere: bool) -> DecisionResult:
        with self.lock:
            if key in self.history.keys:
                return self._again(key, number)
            plans = self._plans(range(len(self.catalogue)) if everywhere else [number], number, sid)
            edits: dict[str, Edit] = {}
            for n, plan in plans.items():
                if plan.change:
                    document = self.opened(n).document
                    edits[document.id] = Edit(document.digest, plan.change)
            total = _sum(plans)
            places, many = total["added"] + total["changed"], total["documents"]
            if not places:
                return DecisionResult(number, sid, "no other occurrence to change")
            message = f"{places} occurrence{'s' * (places != 1)} in {many} document{'s' * (many != 1)} changed"
            return self._carry_out("same", edits, key, number, sid, message)

    def undo(self, key: str, number: int, redo: bool = False) -> DecisionResult:
        """Undo or redo the last decision in any document. Raises ReviewError if there is none."""
        with self.lock:
            if key in self.history.keys:
                return self._again(key, number)
            edits = self.history.to_redo() if redo else self.history.to_undo()
            names = list(edits)
            here = self.catalogue.ids[number] if 0 <= number < len(self.catalogue) else ""
            focus = self._numbers.get(here if here in edits else names[0], number)
            change = edits.get(self.catalogue.ids[focus])
            span = next(iter(change.change), "") if change is not None else ""
            return self._carry_out("redo" if redo else "undo", edits, key, focus, span, "")

    def _carry_out(self, op: str, edits: Edits, key: str, number: int, span: str, message: str) -> DecisionResult:
        entry = self.history.entry(op, edits, key, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.journal.append(entry)
        self.history.take(entry)
        touched = {self._numbers[name]: list(e.change) for name, e in edits.items() if name in self._numbers}
        self._touch(touched)
        return DecisionResult(number, span, message, touched)

    def _touch(self, touched: Mapping[int, list[str]]) -> None:
        """Update the open documents and the rows of the list."""
        for number, sids in touched.items():
            opened = self._opened.get(number)
            if opened is not None:
                opened.table.own = self.history.documents[opened.document.id].own
                opened.changed(sids)
        self.refresh(touched)

    def _again(self, key: str, number: int) -> DecisionResult:
        """Return the response to a repeated request."""
        names = self.history.keys[key]
        return DecisionResult(
            number, touched={self._numbers[name]: [] for name in names if name in self._numbers}, known=False
        )


def _sum(plans: Mapping[int, Any]) -> dict[str, int]:
    changing = [p for p in plans.values() if p.added or p.changed]
    return {
        "added": sum(p.added for p in changing),
        "changed": sum(p.changed for p in changing),
        "left": sum(p.left for p in plans.values()),
        "documents": len(changing),
    }
