"""The base class of engines that veto false candidates before the resolver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

from ...pipeline.contract.component import AnalysisEngine
from ...typesystem import INITIAL_VIEW, Cas, PhiCandidate, PhiKind, View
from ..resolving.candidates import VETOED, SourceSet, matches_source


class CandidateVeto(AnalysisEngine):
    """Marks candidates of some sources as vetoed, with the reason; the resolver ignores them. Known PHI is never vetoed."""

    sources: list[str]
    kinds: list[PhiKind]
    keep_above: float
    reasons: ClassVar[tuple[str, ...]]
    """Beginnings of the reasons that this engine gives, without `vetoed: `; an earlier run's are removed first."""

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError("sources: expected at least one component or aggregate whose candidates may be vetoed")
        if any(matches_source("known_phi", source) for source in self.sources):
            raise ValueError("sources: known_phi is never vetoed, what the record says about a person stays PHI")

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for source in self.sources:
            yield "sources", source

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        own = tuple(f"{VETOED}: {reason}" for reason in self.reasons)
        for candidate in view.select(PhiCandidate):
            if candidate.reason.startswith(own):
                candidate.reason = ""
            if self.may_veto(candidate) and (reason := self.find_reason(view, candidate)):
                candidate.reason = f"{VETOED}: {reason}"
                candidate.winner = None

    def may_veto(self, candidate: PhiCandidate) -> bool:
        if candidate.confidence > self.keep_above and self.keep_above < 1:
            return False
        if matches_source("known_phi", candidate.source) or not any(map(candidate.kind.is_a, self.kinds)):
            return False
        return candidate.source in self._source_set

    @abstractmethod
    def find_reason(self, view: View, candidate: PhiCandidate) -> str:
        """Return why the candidate is false, or an empty string."""

    @cached_property
    def _source_set(self) -> SourceSet:
        return SourceSet(self.sources)
