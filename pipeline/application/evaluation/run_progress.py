"""How far a run is: the documents that it released, those that it did not, and how many it has not processed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...running.ledger import LedgerReader
from ...running.run_documents import document_name, run_documents, xmi_folder


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The documents of a run by outcome."""

    released: frozenset[str]
    """Ids of the documents with XMI."""
    refused: frozenset[str]
    """Ids of the documents in quarantine or skipped."""
    reasons: tuple[tuple[str, int], ...]
    """Numbers of refused documents by reason."""
    unprocessed: int | None
    """Number of documents that the run has not processed; None if it is not known."""

    @classmethod
    def of(cls, run: Path) -> RunProgress:
        """Return how far a run is. Raises ResourceError without a ledger."""
        home = xmi_folder(run)
        with LedgerReader.read(run) as ledger:
            row, documents = ledger.run(), list(run_documents(run, ledger))
        refused = [d.row for d in documents if d.xmi is None]
        ended = row.state == "done" or row.state.endswith("limit")
        left = 0 if ended else None if row.total is None else max(row.total - len(documents), 0)
        return cls(
            frozenset(document_name(d.xmi, home) for d in documents if d.xmi is not None),
            frozenset(r.id for r in refused),
            tuple(sorted(Counter(r.reason or "no XMI" for r in refused).items())),
            left,
        )

    def without_waiting(self, reference: Sequence[str]) -> list[str]:
        """Return the ids of a reference without those that the run refused or has not processed. If more are missing than the
        run has not processed, these stay: they are of another collection."""
        kept = [d for d in reference if d not in self.refused]
        missing = [d for d in kept if d not in self.released]
        if self.unprocessed is None or len(missing) <= self.unprocessed:
            kept = [d for d in kept if d in self.released]
        return kept

    @property
    def note(self) -> str:
        """`2 of 7 documents of the run are not scored: 1 in quarantine (leak 1), 1 not processed`; empty if all are."""
        parts = []
        if self.refused:
            reasons = ", ".join(f"{reason} {n}" for reason, n in self.reasons)
            parts.append(f"{len(self.refused):,} in quarantine ({reasons})")
        if self.unprocessed is None:
            parts.append("an unknown number not processed")
        elif self.unprocessed:
            parts.append(f"{self.unprocessed:,} not processed")
        left = len(self.refused) + (self.unprocessed or 0)
        total = len(self.released) + left
        return f"{left:,} of {total:,} documents of the run are not scored: {', '.join(parts)}" if parts else ""
