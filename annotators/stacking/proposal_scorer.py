"""Applies a stacking model, which estimates the probability that a proposed span is correct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...pipeline.errors import ResourceError
from ...typesystem import View
from ..resolving.candidates import CandidateSpan, SourceSet
from ..sequence.candidate_features import span_features
from ..sequence.extraction import FeatureSet
from ..sequence.linear import probability
from ..sequence.linear_model import LinearModel
from .proposals import Proposal, Vote, attributes, proposals

RIGHT = "right"
"""The only label of a stacking model; its weights are evidence that a span is correct."""


class ScoredProposal(NamedTuple):
    """A proposal and the probability that it is correct."""

    proposal: Proposal
    score: float


def votes_of(candidates: Iterable[CandidateSpan], voters: SourceSet) -> list[Vote]:
    """Return the candidates of voters as votes."""
    return [
        Vote(c.begin, c.end, c.candidate.kind, voter, c.candidate.confidence)
        for c in candidates
        if (voter := voters.entry_of(c.candidate.source)) is not None
    ]


def proposals_with_attributes(
    groups: Sequence[Sequence[Vote]], voters: Sequence[str], view: View, features: FeatureSet | None
) -> Iterator[list[tuple[Proposal, list[str]]]]:
    """Yield the proposals of each group of votes with their attributes. `features` add attributes of the tokens in and around."""
    grouped = [proposals(group) for group in groups]
    spans = sorted({(p.begin, p.end) for group in grouped for p in group})
    names_of: dict[tuple[int, int], list[str]] = {}
    if features is not None and features.features:
        around = span_features(view, spans, features)
        names_of = {span: sorted(names) for span, (_, names) in zip(spans, around, strict=True)}
    for votes, group in zip(groups, grouped, strict=True):
        yield [(p, attributes(p, votes, voters, view.text) + _by_kind(p, names_of)) for p in group]


def _by_kind(proposal: Proposal, names_of: dict[tuple[int, int], list[str]]) -> list[str]:
    """Return the token attributes of a proposal, each with and without its kind."""
    names = names_of.get((proposal.begin, proposal.end), [])
    return [*names, *(f"{name} {proposal.kind.name}" for name in names)]


class ProposalScorer:
    """Applies a stacking model. Raises ResourceError if the model is of another type or its description is damaged."""

    def __init__(self, model: LinearModel) -> None:
        type_ = model.meta["type"]
        if type_ != "stacking":
            raise ResourceError(f"model {model.place}: trained as {type_}; expected a model of stacking_trainer")
        voters, threshold = model.meta.get("voters"), model.meta.get("threshold")
        if not (isinstance(voters, list) and len(voters) > 1 and all(isinstance(v, str) for v in voters)):
            raise ResourceError(f"model {model.place}: model.json: voters: expected two or more names: damaged")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise ResourceError(f"model {model.place}: model.json: threshold: expected a number from 0 to 1: damaged")
        if model.labels != [RIGHT]:
            raise ResourceError(f"model {model.place}: model.json: labels: expected [{RIGHT}]: damaged")
        self.voters = SourceSet(voters)
        self.threshold = float(threshold)
        self._model = model

    def score(self, groups: Sequence[Sequence[CandidateSpan]], view: View) -> list[list[ScoredProposal]]:
        """Return the proposals of each group of candidates of a document with their probabilities (0 to 1)."""
        votes = [votes_of(group, self.voters) for group in groups]
        return [
            [ScoredProposal(proposal, probability(self._model.margin(RIGHT, names))) for proposal, names in group]
            for group in proposals_with_attributes(votes, self.voters.entries, view, self._model.features)
        ]
