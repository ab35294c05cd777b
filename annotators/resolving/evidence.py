"""Candidates that are evidence for models and not findings: which ones the resolver leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiCandidate, PhiKind
from .candidates import matches_source

_FORM = "expected SOURCE, SOURCE.RULE, SOURCE:KIND or SOURCE.RULE:KIND"
_ENTRY = lazy_regex(r"(?P<source>[^.:\s]+)(?:\.(?P<rule>[^:]+))?(?::(?P<kind>[^:\s]+))?")


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """A source, perhaps only one of its rules or one kind (with its subkinds)."""

    source: str
    rule: str = ""
    kind: PhiKind | None = None

    @classmethod
    def of(cls, entry: str) -> EvidenceEntry:
        """Parse `names`, `identifiers.room`, `lists:LOCATION`, `lists.cities:LOCATION`. Raise ValueError for anything else."""
        found = _ENTRY.fullmatch(entry)
        if not found:
            raise ValueError(f"{entry!r}: {_FORM}")
        if matches_source("known_phi", found["source"]):
            raise ValueError("known_phi is never only evidence, what the record says about a person stays PHI")
        return cls(found["source"], found["rule"] or "", PhiKind.of(found["kind"]) if found["kind"] else None)

    def matches(self, candidate: PhiCandidate) -> bool:
        return (
            matches_source(self.source, candidate.source)
            and self.rule in ("", candidate.rule)
            and (self.kind is None or candidate.kind.is_a(self.kind))
        )


class Evidence:
    """Entries for candidates that are evidence only, and entries for those among them that are findings after all."""

    def __init__(self, evidence: Iterable[str], findings: Iterable[str] = ()) -> None:
        self._evidence = _parsed("evidence", evidence)
        self._findings = _parsed("findings", findings)
        if self._findings and not self._evidence:
            raise ValueError("findings: expected entries in evidence, from which these are exceptions, got none")
        self._memo: dict[tuple[str, str, str], bool] = {}

    def sources(self) -> Iterator[tuple[str, str]]:
        """Yield (parameter, source) of every entry."""
        for entry in self._evidence:
            yield "evidence", entry.source
        for entry in self._findings:
            yield "findings", entry.source

    def __contains__(self, candidate: PhiCandidate) -> bool:
        """Return whether a candidate is evidence only."""
        key = candidate.source, candidate.rule, candidate.kind.name
        if key not in self._memo:
            self._memo[key] = any(e.matches(candidate) for e in self._evidence) and not any(
                e.matches(candidate) for e in self._findings
            )
        return self._memo[key]

    def __bool__(self) -> bool:
        return bool(self._evidence)


def _parsed(parameter: str, entries: Iterable[str]) -> tuple[EvidenceEntry, ...]:
    try:
        return tuple(map(EvidenceEntry.of, entries))
    except ValueError as error:
        raise ValueError(f"{parameter}: {error}") from None
