"""How likely each proposed span is right: what a stacking bundle knows, applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import exp

from ...pipeline.errors import ResourceError
from ...typesystem import View
from ..resolving import Bid
from ..resolving.election import Roll
from ..sequence.bundle import ModelBundle
from ..sequence.extraction import FeatureSet
from ..sequence.judging import surroundings
from .proposals import Proposal, Vote, attributes, proposals

RIGHT = "right"
"""The one label of a stacking bundle: its weights speak for a span being right."""


def votes_of(bids: Iterable[Bid], roll: Roll) -> list[Vote]:
    """The bids of voters as votes."""
    return [
        Vote(b.begin, b.end, b.candidate.kind, voter, b.candidate.confidence)
        for b in bids
        if (voter := roll.voter(b.candidate.source)) is not None
    ]


def seen(
    groups: Sequence[Sequence[Vote]], voters: Sequence[str], view: View, features: FeatureSet | None
) -> Iterator[list[tuple[Proposal, list[str]]]]:
    """For each group of votes, its proposals with their attributes; `features` add what the tokens in and around say."""
    made = [proposals(group) for group in groups]
    spans = sorted({(p.begin, p.end) for some in made for p in some})
    around: dict[tuple[int, int], list[str]] = {}
    if features is not None and features.features:
        found = surroundings(view, spans, features)
        around = {span: sorted(names) for span, (_, names) in zip(spans, found, strict=True)}
    for group, some in zip(groups, made, strict=True):
        yield [(p, attributes(p, group, voters, view.text) + _of_kind(p, around)) for p in some]


def _of_kind(proposal: Proposal, around: dict[tuple[int, int], list[str]]) -> list[str]:
    """What is seen in and around a proposal, as such and for its kind."""
    names = around.get((proposal.begin, proposal.end), [])
    return [*names, *(f"{name} {proposal.kind.name}" for name in names)]


class ProposalScorer:
    """Applies a stacking bundle. Raises ResourceError where the model is of another sort, or its description is damaged."""

    def __init__(self, model: ModelBundle) -> None:
        found = model.meta["type"]
        if found != "stacking":
            raise ResourceError(
                f"model {model.place}: trained as {found}; the resolver's strategy stacking applies others"
            )
        voters, threshold = model.meta.get("voters"), model.meta.get("threshold")
        if not (isinstance(voters, list) and len(voters) > 1 and all(isinstance(v, str) for v in voters)):
            raise ResourceError(f"model {model.place}: model.json: voters: expected two or more names: damaged")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise ResourceError(f"model {model.place}: model.json: threshold: expected a number from 0 to 1: damaged")
        if model.labels != [RIGHT]:
            raise ResourceError(f"model {model.place}: model.json: labels: expected [{RIGHT}]: damaged")
        self.voters: list[str] = voters
        self.threshold = float(threshold)
        self.roll = Roll(voters)
        self._model = model

    @cached_property
    def _weights(self) -> dict[str, float]:
        weights = self._model.weights
        return {
            weights.attributes[row]: value for row, value in zip(weights.rows, weights.values.tolist(), strict=True)
        }

    def judged(self, groups: Sequence[Sequence[Bid]], view: View) -> list[list[tuple[Proposal, float]]]:
        """For each group of bids of a document, its proposals and how likely each is right (0 to 1)."""
        votes = [votes_of(group, self.roll) for group in groups]
        return [
            [(proposal, self._likelihood(names)) for proposal, names in some]
            for some in seen(votes, self.voters, view, self._model.features)
        ]

    def _likelihood(self, names: Iterable[str]) -> float:
        weights, bias = self._weights, self._model.weights.bias
        z = sum(weights.get(name, 0.0) for name in names) + (0.0 if bias is None else float(bias[0]))
        return 1 / (1 + exp(-z)) if z > -500 else 0.0
