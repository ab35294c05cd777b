"""Counts over documents that only the CAS contains: kinds, rules, operators. Numbers only, never text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

from ...typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiCandidate

BY_KIND = ("spans", "holding")
BY_PAIR = ("proposed", "won", "vetoed", "operators", "fallbacks")


def winning_candidate(phi: Phi, candidates: list[PhiCandidate]) -> PhiCandidate | None:
    """Return the candidate that a final span was made from: of its source and kind; None if there is no such candidate."""
    return next((c for c in candidates if c.winner is phi and c.source == phi.source and c.kind is phi.kind), None)


@dataclass(slots=True)
class Tally:
    """Counts over some documents."""

    documents: int = 0
    spans: Counter[str] = field(default_factory=Counter)
    """Kind -> final spans."""
    holding: Counter[str] = field(default_factory=Counter)
    """Kind -> documents with at least one final span of it."""
    proposed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(source, rule) -> candidates."""
    won: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(source, rule) -> final spans made from its candidates."""
    vetoed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(source, rule) -> candidates that became part of no final span."""
    operators: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, operator) -> masked spans."""
    fallbacks: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(operator, reason) -> masked spans that became placeholders instead."""

    def add(self, other: Tally) -> None:
        """Add the counts of other documents."""
        self.documents += other.documents
        for name in (*BY_KIND, *BY_PAIR):
            getattr(self, name).update(getattr(other, name))

    def to_plain(self) -> dict[str, Any]:
        """Return the counts as plain data for JSON, without empty ones."""
        plain: dict[str, Any] = {"documents": self.documents}
        plain |= {name: dict(counts) for name in BY_KIND if (counts := getattr(self, name))}
        for name in BY_PAIR:
            if counts := getattr(self, name):
                plain[name] = [[*pair, n] for pair, n in counts.items()]
        return plain

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """Return the counts that `to_plain` returned as data. Raises ValueError, without the data, if it is something else."""
        try:
            tally = cls(documents=int(plain["documents"]))
            for name in BY_KIND:
                getattr(tally, name).update({str(k): int(n) for k, n in plain.get(name, {}).items()})
            for name in BY_PAIR:
                getattr(tally, name).update({(str(a), str(b)): int(n) for a, b, n in plain.get(name, ())})
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError("expected the counts of a document, found something else") from None
        return tally

    @classmethod
    def of(cls, cas: Cas) -> Tally:
        """Return the counts of one document."""
        tally = cls(documents=1)
        view = cas.views[0] if cas.views else None
        candidates = view.select(PhiCandidate) if view is not None else []
        by_winner: dict[int, list[PhiCandidate]] = {}
        for c in candidates:
            tally.proposed[c.source, c.rule] += 1
            if c.winner is None:
                tally.vetoed[c.source, c.rule] += 1
            else:
                by_winner.setdefault(id(c.winner), []).append(c)
        for phi in view.select(Phi) if view is not None else []:
            tally.spans[phi.kind.name] += 1
            winner = winning_candidate(phi, by_winner.get(id(phi), []))
            tally.won[phi.source, winner.rule if winner is not None else ""] += 1
        tally.holding.update(tally.spans.keys())
        if cas.has_view(DEIDENTIFIED_VIEW):
            for span in cas.view(DEIDENTIFIED_VIEW).rows(MaskedSpan):
                tally.operators[span.kind.name, span.operator] += 1
                if span.fallback:
                    tally.fallbacks[span.operator, span.fallback] += 1
        return tally
