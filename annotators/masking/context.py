"""What an operator may know while it masks one document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from ...typesystem import Cas, PhiKind
from .operator import Mention

T = TypeVar("T")
Scope = Literal["project", "patient", "document"]


class Context:
    """One document while it is masked: its text, its mentions sorted by begin, whose it is, and a memory for operators."""

    def __init__(self, cas: Cas, mentions: Sequence[Mention]) -> None:
        self.cas = cas
        self.text = cas.text
        self.mentions = tuple(mentions)
        self._begins = [mention.begin for mention in self.mentions]
        self._memory: dict[tuple[int, str], Any] = {}

    def remember(self, owner: object, what: str, make: Callable[[], T]) -> T:
        """What `make` gives, computed once for this document and owner."""
        key = (id(owner), what)
        if key not in self._memory:
            self._memory[key] = make()
        known: T = self._memory[key]
        return known

    def of_kind(self, kind: PhiKind) -> list[Mention]:
        """The mentions of a kind and the kinds below it, in text order."""
        return [m for m in self.mentions if m.kind.is_a(kind)]

    def neighbours(self, mention: Mention) -> list[Mention]:
        """The mention right after this one and the one right before it."""
        at = bisect_left(self._begins, mention.begin)
        same = at < len(self.mentions) and self.mentions[at].begin == mention.begin
        return [self.mentions[i] for i in (at + same, at - 1) if 0 <= i < len(self.mentions)]

    def patient(self, metadata: str) -> str:
        """The patient's identifier: metadata of that name, else known PHI of the patient (a medical record number before
        other numbers); empty where the record names none."""
        named = self.cas.metadata.get(metadata, "").strip()
        if named:
            return named
        numbers = sorted(
            (known.kind is not PhiKind.ID_MEDICAL_RECORD, known.kind.name, known.value)
            for known in self.cas.known_phi
            if known.role == "patient" and known.kind.top is PhiKind.ID and known.value.strip()
        )
        return numbers[0][2].strip() if numbers else ""

    def subject(self, scope: Scope, metadata: str) -> tuple[str, str]:
        """Within what replacements agree: the project, the patient (where known), or the document.

        A document without an id is known by its text.
        """
        if scope == "project":
            return ("project", "")
        patient = self.patient(metadata) if scope == "patient" else ""
        if patient:
            return ("patient", patient)
        return ("document", self.cas.id) if self.cas.id else ("text", self.text)

    def __repr__(self) -> str:
        return f"<Context of {len(self.mentions)} mentions>"
