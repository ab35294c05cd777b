"""The false-positive filter: vetoes candidates that a trained model considers false."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import ResourceError
from ...typesystem import INITIAL_VIEW, Cas, FeatureStructure, PhiCandidate, PhiKind, Sentence, Token
from ..resolving.candidates import VETOED
from .candidate_features import candidate_attributes
from .linear import probability
from .linear_model import LinearModel, features_of

BY_FILTER = f"{VETOED}: filter"


@component("filter", inputs=[Token, Sentence, PhiCandidate], outputs=[PhiCandidate])
class CandidateFilter(AnalysisEngine):
    """Marks candidates of the named sources as vetoed if the model considers them false; the resolver ignores those.

    The candidates stay in the CAS with the reason. Known PHI is never vetoed. After Ferrandez et al. 2013 ("BoB").
    """

    model: LinearModel
    """The model that `filter_trainer` wrote."""
    sources: list[str]
    """Sources whose candidates may be vetoed: ids of components or aggregates (`names`, `models/crf`)."""
    kinds: list[PhiKind] = field(default_factory=list)
    """Veto only these kinds and those below them; empty: all kinds of the model."""
    threshold: float | None = None
    """Candidates with a lower probability are vetoed (0 to 1). Default: the threshold of the model for each kind, which keeps
    the share of correct candidates that was set in training."""

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: expected a number from 0 to 1, got {self.threshold}")
        if not self.sources:
            raise ValueError("sources: expected at least one component or aggregate whose candidates may be vetoed")
        if any("known_phi" in source.split("/") for source in self.sources):
            raise ValueError("sources: known_phi is never filtered, what the record says about a person stays PHI")

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for source in self.sources:
            yield "sources", source

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return tuple(dict.fromkeys((Token, Sentence, PhiCandidate, *features_of(self.model).needs())))

    def open(self) -> None:
        super().open()
        type_name = self.model.meta["type"]
        if type_name != "filter":
            raise ResourceError(
                f"model {self.model.place}: trained as {type_name}; the component {type_name} applies it"
            )

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        candidates = view.select(PhiCandidate)
        for candidate in candidates:
            if candidate.reason.startswith(BY_FILTER):
                candidate.reason = ""
        rows = candidate_attributes(view, candidates, self.model.features)
        for candidate, attributes in zip(candidates, rows, strict=True):
            if candidate.reason.startswith(VETOED) or not self._applies_to(candidate):
                continue
            likelihood, threshold = self.likelihood(candidate, attributes)
            if likelihood < threshold:
                candidate.reason = f"{BY_FILTER} ({likelihood:.2f} likely, {threshold:.2f} asked)"
                candidate.winner = None

    def likelihood(self, candidate: PhiCandidate, attributes: list[str]) -> tuple[float, float]:
        """Return the probability that the candidate is correct, and the threshold for it."""
        kind = candidate.kind.top.name
        curve = self.model.meta["curves"][kind]
        likelihood = probability(curve["slope"] * self.model.margin(kind, attributes) + curve["offset"])
        return likelihood, curve["threshold"] if self.threshold is None else self.threshold

    @cached_property
    def _paths(self) -> list[list[str]]:
        return [source.split("/") for source in self.sources]

    def _applies_to(self, candidate: PhiCandidate) -> bool:
        if candidate.kind.top.name not in self.model.labels:
            return False
        if self.kinds and not any(map(candidate.kind.is_a, self.kinds)):
            return False
        path = candidate.source.split("/")
        return any(path[i : i + len(p)] == p for p in self._paths for i in range(len(path) - len(p) + 1))
