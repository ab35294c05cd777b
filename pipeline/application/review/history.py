"""All decisions of one annotator, as their journal tells them: what holds now, and what can be undone and done again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....typesystem import PhiKind
from .state import STATUSES, Change, ReviewError, Span, applied


@dataclass(slots=True)
class DocumentDecisions:
    """The decisions about one document."""

    digest: str
    """SHA-256 of the text it was decided about."""
    own: dict[str, Span] = field(default_factory=dict)
    done: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """One decision's effect on one document. `done` is None if it says nothing about that."""

    digest: str
    change: Change
    done: bool | None = None


Edits = Mapping[str, Edit]
"""Document id -> what is done to it."""


class History:
    """Decisions in order. Every entry goes through `take`, at work as in reading a journal: both lead to the same state."""

    def __init__(self, records: Iterable[dict[str, Any]] = ()) -> None:
        """Raise ReviewError for an entry that makes no sense."""
        self.documents: dict[str, DocumentDecisions] = {}
        self.number = 0
        """Of the last entry."""
        self.keys: dict[str, list[str]] = {}
        """Requests that were carried out, with the documents they touched: one that comes again is not carried out again."""
        self._undo: list[dict[str, Edit]] = []
        self._redo: list[dict[str, Edit]] = []
        for record in records:
            self.take(record)

    def take(self, record: dict[str, Any]) -> list[str]:
        """Carry out an entry; returns the documents it touched."""
        try:
            edits = {name: _edit(value) for name, value in record["docs"].items()}
            number, op, key = int(record["n"]), record["op"], str(record.get("key", ""))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ReviewError(f"entry {self.number + 1} of the review journal makes no sense") from None
        if number != self.number + 1:
            raise ReviewError(f"the review journal continues with entry {number}, expected {self.number + 1}")
        if not {"undo": self._undo, "redo": self._redo}.get(op, [edits]):
            raise ReviewError(f"entry {number} of the review journal undoes a decision that does not exist")
        inverse = {name: self._apply(name, edit) for name, edit in edits.items()}
        self.number = number
        if op == "undo":
            self._undo.pop()
            self._redo.append(inverse)
        else:
            if op == "redo":
                self._redo.pop()
            else:
                self._redo.clear()
            self._undo.append(inverse)
        if key:
            self.keys[key] = list(edits)
        return list(edits)

    def entry(self, op: str, edits: Edits, key: str, at: str) -> dict[str, Any]:
        """Return the next entry, as it is to be written before it is taken."""
        return {
            "n": self.number + 1,
            "at": at,
            "op": op,
            "key": key,
            "docs": {name: _written(edit) for name, edit in edits.items()},
        }

    def to_undo(self) -> Edits:
        """Return what undoes the last decision. Raises ReviewError if there is none."""
        if not self._undo:
            raise ReviewError("nothing to undo")
        return self._undo[-1]

    def to_redo(self) -> Edits:
        """Return what does the decision again that was undone last. Raises ReviewError if there is none."""
        if not self._redo:
            raise ReviewError("nothing to do again")
        return self._redo[-1]

    @property
    def depth(self) -> tuple[int, int]:
        """How many decisions can be undone and done again."""
        return len(self._undo), len(self._redo)

    def _apply(self, name: str, edit: Edit) -> Edit:
        decided = self.documents.setdefault(name, DocumentDecisions(edit.digest))
        if decided.digest != edit.digest:
            raise ReviewError(f"document {name}: the review journal has two different texts")
        before = applied(decided.own, edit.change)
        done = None
        if edit.done is not None:
            done, decided.done = decided.done, edit.done
        return Edit(edit.digest, before, done)


def _written(edit: Edit) -> dict[str, Any]:
    spans = {sid: None if s is None else list(s) for sid, s in edit.change.items()}
    return {"text": edit.digest, "set": spans, **({} if edit.done is None else {"done": edit.done})}


def _edit(value: dict[str, Any]) -> Edit:
    done = value.get("done")
    change = {str(sid): None if s is None else _span(*s) for sid, s in value["set"].items()}
    return Edit(str(value["text"]), change, None if done is None else bool(done))


def _span(begin: int, end: int, kind: str, status: str) -> Span:
    if not 0 <= begin < end or status not in STATUSES:
        raise ValueError
    return Span(int(begin), int(end), PhiKind.of(kind).name, status)
