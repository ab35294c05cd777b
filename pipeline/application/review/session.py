"""One annotator at work: documents, decisions and their journal, and what the page is told of them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ....typesystem import PhiKind
from ...errors import CaspipeError, ComponentError
from . import adjudication, state
from .catalogue import Catalogue
from .document import Document
from .history import Decided, Edit, Edits, History
from .same import Echoes, Leak, same_words
from .state import LIVE, OPEN, REJECTED, SUGGESTED, Change, ReviewError, Sheet
from .store import Journal


@dataclass(slots=True, eq=False, repr=False)
class Desk:
    """One document with its decisions."""

    document: Document
    sheet: Sheet
    echoes: Echoes
    differences: list[adjudication.Difference]
    _leaks: list[Leak] | None = None

    @property
    def leaks(self) -> list[Leak]:
        if self._leaks is None:
            self._leaks = self.echoes.leaks(self.sheet)
        return self._leaks

    @property
    def open_differences(self) -> list[adjudication.Difference]:
        return [d for d in self.differences if adjudication.is_open(self.sheet, d)]

    def changed(self, sids: Iterable[str]) -> None:
        """To be called after spans changed. What may be a leak changes only with what is masked, or when somebody said no."""
        before = self.sheet.spans
        self.sheet.changed()
        if any(_says(before.get(sid)) != _says(self.sheet.spans.get(sid)) for sid in sids):
            self._leaks = None


def _says(span: state.Span | None) -> tuple[Any, ...]:
    """What a span says about the same words elsewhere: masked as this kind, or looked at and no PHI."""
    return (*span[:3], span.status in LIVE) if span is not None and span.status in (*LIVE, REJECTED) else ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request did: the documents it touched, where to look, and what to say."""

    document: int
    span: str = ""
    said: str = ""
    touched: Mapping[int, list[str]] = field(default_factory=dict)
    """Documents by number, and the ids of the spans that changed in each."""
    known: bool = True
    """Whether `touched` names the spans: not so where a request came again that had been carried out before."""


@dataclass(frozen=True, slots=True)
class Two:
    """The annotators between whom somebody adjudicates."""

    left: str
    right: str
    documents: tuple[Mapping[str, Decided], Mapping[str, Decided]]

    def ready(self, name: str) -> bool:
        """Whether both are done with a document."""
        return all(name in side and side[name].done for side in self.documents)


@dataclass(slots=True)
class Row:
    """A document in the list: numbers only."""

    number: int
    values: dict[str, Any] = field(default_factory=dict)
    version: int = 0


class Session:
    """Safe to use from several threads. Every decision is in the journal before it counts."""

    def __init__(
        self,
        catalogue: Catalogue,
        journal: Journal,
        *,
        two: Two | None = None,
        others: Mapping[str, Mapping[str, Decided]] | None = None,
    ) -> None:
        """`two`: an adjudicator's session; `others`: what other annotators decided. Raises ReviewError for a journal that makes
        no sense."""
        self.catalogue = catalogue
        self.journal = journal
        self.two = two
        self.others = dict(others or {})
        self.history = History(journal.records)
        self.lock = threading.RLock()
        self.version = 1
        self.scanned = 0
        self._desks: dict[int, Desk] = {}
        self._rows = [Row(i) for i in range(len(catalogue))]
        self._numbers = {name: i for i, name in enumerate(catalogue.ids)}

    # -- looking -------------------------------------------------------------------------------------------------

    def desk(self, number: int) -> Desk:
        """A document with its decisions. Raises ReviewError where it cannot be read, or its text changed since."""
        if not 0 <= number < len(self.catalogue):
            raise ReviewError(f"no document {number}; there are {len(self.catalogue)}")
        document = self.catalogue.document(number)
        with self.lock:
            found = self._desks.get(number)
            if found is None or (found.document is not document and self.two is None):
                found = self._desks[number] = self._open(document)
                if len(self._desks) > 64:
                    self._forget(number)
            return found

    def _open(self, document: Document) -> Desk:
        decided = self.history.documents.get(document.id)
        if decided is not None and decided.digest != document.digest:
            raise ReviewError(
                f"document {document.id}: its text is not the one that was reviewed; nothing is changed in it"
            )
        if self.two is not None:
            left, right = (side.get(document.id) for side in self.two.documents)
            if not self.two.ready(document.id) or left is None or right is None:
                raise ReviewError(
                    f"document {document.id}: {self.two.left} and {self.two.right} are not both done with it"
                )
            document = adjudication.joined(document, left, right, (self.two.left, self.two.right))
        if decided is None:
            decided = Decided(document.digest)
        sheet = Sheet(document.text, document.base, decided.own)
        sheet.settle()
        differences = adjudication.differences(document) if self.two is not None else []
        return Desk(document, sheet, Echoes(document), differences)

    def _forget(self, but: int) -> None:
        """Lets go of documents that the catalogue let go of."""
        for number in [n for n in self._desks if n != but and not self.catalogue.keeps(n)]:
            del self._desks[number]

    def decided(self, document: Document) -> Decided:
        return self.history.documents.get(document.id) or Decided(document.digest)

    def done(self, number: int) -> bool:
        """Whether a document is done, and nothing is left to choose in it. Raises ReviewError as `desk`."""
        desk = self.desk(number)
        with self.lock:
            return self.decided(desk.document).done and not desk.open_differences

    def scan(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Reads every document once, for the list."""
        for number in range(len(self.catalogue)):
            if stop():
                return
            if not self._rows[number].values:
                self.refresh([number])
            self.scanned = number + 1

    def refresh(self, numbers: Iterable[int]) -> None:
        """Counts documents anew."""
        for number in numbers:
            seen = self._rows[number].version
            try:
                values = self._count(number)
            except CaspipeError as error:
                values = {"fault": str(error)}
            except Exception as error:  # only class and place are told: the message may quote the document
                values = {"fault": str(ComponentError("review", error))}
            with self.lock:
                if self._rows[number].version != seen:
                    continue  # counted meanwhile, after a decision
                self.version += 1
                self._rows[number] = Row(number, values, self.version)

    def rows(self, after: int = 0) -> list[dict[str, Any]]:
        """The rows of the list that changed after a version."""
        with self.lock:
            ids = self.catalogue.ids
            return [
                {"i": r.number, "id": ids[r.number], **r.values} for r in self._rows if r.version > after or not after
            ]

    def _count(self, number: int) -> dict[str, Any]:
        name = self.catalogue.ids[number]
        if self.two is not None and not self.two.ready(name):
            return {"waiting": True}
        desk = self.desk(number)
        with self.lock:
            spans, items = desk.sheet.spans, desk.document.items
            live = [(sid, spans[sid]) for _, _, sid in desk.sheet.live]
            waiting = [sid for sid, s in live if s.status == OPEN]
            confidences = [items[sid].confidence for sid in waiting if sid in items]
            done = self.done(number)
            return {
                "size": len(desk.document.text),
                "live": len(live),
                "open": len(waiting),
                "low": min(confidences, default=1.0),
                "disputed": sum(items[sid].disputed for sid in waiting if sid in items),
                "suggested": sum(s.status == SUGGESTED for s in spans.values()),
                "leaks": len(desk.leaks),
                "kinds": dict(sorted(Counter(s.kind for _, s in live).items())),
                "done": done,
                "differ": len(desk.open_differences) if self.two else self._differing(desk) if done else 0,
            }

    def _differing(self, desk: Desk) -> int:
        """With how many others, who are done with the document too, this annotator does not agree."""
        mine = sorted((b, e, desk.sheet.spans[sid].kind) for b, e, sid in desk.sheet.live)
        count = 0
        for decisions in self.others.values():
            theirs = decisions.get(desk.document.id)
            if theirs is not None and theirs.done and theirs.digest == desk.document.digest:
                count += (
                    sorted(adjudication.live_spans(self.catalogue.document(self._numbers[desk.document.id]), theirs))
                    != mine
                )
        return count

    # -- deciding ------------------------------------------------------------------------------------------------

    def decide(self, op: str, number: int, key: str, **given: Any) -> Outcome:
        """Carries out one decision: accept, reject, kind, move, add, dismiss, choose, done, reopen, same.

        `key` names the request: one that was carried out before is not carried out again. Raises ReviewError.
        """
        if op == "same":
            return self._same(number, key, str(given.get("span", "")), given.get("scope") == "all")
        self.desk(number)  # a document that must be read first keeps nobody else waiting
        with self.lock:
            if key in self.history.keys:
                return self._again(key, number)
            desk = self.desk(number)
            change, done, span, said = self._change(op, desk, given)
            edit = Edit(desk.document.digest, change, done)
            return self._carry_out(op, {desk.document.id: edit}, key, number, span, said)

    def _change(self, op: str, desk: Desk, given: Mapping[str, Any]) -> tuple[Change, bool | None, str, str]:
        sheet, sid = desk.sheet, str(given.get("span", ""))
        if op in ("accept", "kind") and sid not in sheet.spans:
            leak = next((k for k in desk.leaks if k.sid == sid), None)
            if leak is not None:  # what was only pointed at becomes a span
                change = state.add(sheet, leak.begin, leak.end, str(given.get("kind") or leak.kind))
                return change, None, next(iter(change)), ""
        if op == "accept":
            return state.accept(sheet, sid), None, sid, ""
        if op == "reject":
            leak = next((k for k in desk.leaks if k.sid == sid), None)
            if leak is not None:
                return {sid: state.Span(leak.begin, leak.end, leak.kind, REJECTED)}, None, sid, ""
            return state.reject(sheet, sid), None, sid, ""
        if op == "kind":
            return state.rename(sheet, sid, _kind(given)), None, sid, ""
        if op == "move":
            return state.move(sheet, sid, int(given["begin"]), int(given["end"])), None, sid, ""
        if op == "add":
            change = state.add(sheet, int(given["begin"]), int(given["end"]), _kind(given))
            return change, None, next(iter(change)), ""
        if op == "choose":
            at = int(given.get("difference", -1))
            if not 0 <= at < len(desk.differences):
                raise ReviewError(f"no difference {at}; there are {len(desk.differences)}")
            return adjudication.choose(sheet, desk.differences[at], str(given.get("side"))), None, "", ""
        if op == "done":
            waiting = len(desk.open_differences)
            if waiting:
                raise ReviewError(f"{waiting} differences wait for a choice")
            change = state.accept_open(sheet)
            return change, True, "", f"{len(change)} open spans accepted" if change else ""
        if op == "reopen":
            return {}, False, "", ""
        raise ReviewError("no such decision")

    def preview(self, number: int, sid: str) -> dict[str, dict[str, int]]:
        """What deciding all places with a span's words alike would do, in its document and in all. Raises ReviewError."""
        here = self._plans([number], number, sid)
        everywhere = self._plans(range(len(self.catalogue)), number, sid)
        return {"here": _sum(here), "all": _sum(everywhere)}

    def _plans(self, numbers: Any, number: int, sid: str) -> dict[int, Any]:
        desk = self.desk(number)
        like = desk.sheet.span(sid)
        words = desk.document.text[like.begin : like.end]
        plans = {}
        for n in numbers:
            try:
                other = self.desk(n)
            except CaspipeError:
                continue
            if words in other.document.text:
                with self.lock:
                    plan = same_words(other.sheet, words, like, sid if n == number else "")
                if any(plan[1:]):
                    plans[n] = plan
        return plans

    def _same(self, number: int, key: str, sid: str, everywhere: bool) -> Outcome:
        with self.lock:
            if key in self.history.keys:
                return self._again(key, number)
            plans = self._plans(range(len(self.catalogue)) if everywhere else [number], number, sid)
            edits: dict[str, Edit] = {}
            for n, plan in plans.items():
                if plan.change:
                    document = self.desk(n).document
                    edits[document.id] = Edit(document.digest, plan.change)
            total = _sum(plans)
            places, many = total["added"] + total["changed"], total["documents"]
            if not places:
                return Outcome(number, sid, "no other place to change")
            said = f"{places} place{'s' * (places != 1)} in {many} document{'s' * (many != 1)} changed"
            return self._carry_out("same", edits, key, number, sid, said)

    def undo(self, key: str, number: int, redo: bool = False) -> Outcome:
        """Takes back the last decision, wherever it was, or does it again. Raises ReviewError where there is none."""
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

    def _carry_out(self, op: str, edits: Edits, key: str, number: int, span: str, said: str) -> Outcome:
        entry = self.history.entry(op, edits, key, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.journal.append(entry)
        self.history.take(entry)
        touched = {self._numbers[name]: list(e.change) for name, e in edits.items() if name in self._numbers}
        self._touch(touched)
        return Outcome(number, span, said, touched)

    def _touch(self, touched: Mapping[int, list[str]]) -> None:
        """Brings what is shown of documents up to date."""
        for number, sids in touched.items():
            desk = self._desks.get(number)
            if desk is not None:
                desk.sheet.own = self.history.documents[desk.document.id].own
                desk.changed(sids)
        self.refresh(touched)

    def _again(self, key: str, number: int) -> Outcome:
        """The answer to a request that was carried out before, when nobody heard the answer."""
        names = self.history.keys[key]
        return Outcome(
            number, touched={self._numbers[name]: [] for name in names if name in self._numbers}, known=False
        )


def _kind(given: Mapping[str, Any]) -> str:
    try:
        return PhiKind.of(str(given.get("kind"))).name
    except ValueError:
        raise ReviewError("no PHI kind has that name") from None


def _sum(plans: Mapping[int, Any]) -> dict[str, int]:
    changing = [p for p in plans.values() if p.added or p.changed]
    return {
        "added": sum(p.added for p in changing),
        "changed": sum(p.changed for p in changing),
        "left": sum(p.left for p in plans.values()),
        "documents": len(changing),
    }
