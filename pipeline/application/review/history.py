"""The decisions of one annotator from the journal: the current state, and the steps to undo and redo."""

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
    """SHA-256 of the text that the decisions apply to."""
    own: dict[str, Span] = field(default_factory=dict)
    done: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """The effect of a decision on one document. `done` is None if the decision does not change it."""

    digest: str
    change: Change
    done: bool | None = None


Edits = Mapping[str, Edit]
"""Edits by document id."""


class History:
    """Decisions in order. New entries and entries read from a journal both use `take`, so that they lead to the same state."""

    def __init__(self, records: Iterable[dict[str, Any]] = ()) -> None:
        """Raise ReviewError for an invalid entry."""
        self.documents: dict[str, DocumentDecisions] = {}
        self.number = 0
        """Number of the last entry."""
        self.keys: dict[str, list[str]] = {}
        """Keys of completed requests with the documents they changed, so that a repeated request is not executed again."""
        self._undo: list[dict[str, Edit]] = []
        self._redo: list[dict[str, Edit]] = []
        for record in records:
            self.take(record)

    def take(self, record: dict[str, Any]) -> list[str]:
        """Apply an entry, and return the documents that it changes. Raises ReviewError if it is invalid."""
        try:
            edits = {name: _edit(value) for name, value in record["docs"].items()}
            number, op, key = int(record["n"]), record["op"], str(record.get("key", ""))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ReviewError(f"entry {self.number + 1} of the review journal is invalid") from None
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
        """Return the next entry, which must be written to the journal before `take`."""
        return {
            "n": self.number + 1,
            "at": at,
            "op": op,
            "key": key,
            "docs": {name: _written(edit) for name, edit in edits.items()},
        }

    def to_undo(self) -> Edits:
        """Return the edits that undo the last decision. Raises ReviewError if there is none."""
        if not self._undo:
            raise ReviewError("nothing to undo")
        return self._undo[-1]

    def to_redo(self) -> Edits:
        """Return the edits that redo the decision undone last. Raises ReviewError if there is none."""
        if not self._redo:
            raise ReviewError("nothing to redo")
        return self._redo[-1]

    @property
    def depth(self) -> tuple[int, int]:
        """The numbers of decisions that can be undone and redone."""
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
