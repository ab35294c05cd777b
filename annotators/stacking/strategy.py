"""`stacking`: a trained model selects the most probable disjoint spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...pipeline.contract.component import part
from ...pipeline.contract.resources import load
from ...typesystem import FeatureStructure, Sentence, Token, View
from ..resolving.candidates import CandidateSpan, SourceOrder
from ..resolving.spans import Remainder, Resolution
from ..resolving.strategies import Priority
from ..resolving.voting import ElectedSpan, Minority, VoteResult, resolve_vote
from ..sequence.linear_model import LinearModel, features_of
from ..sequence.model_files import read_description
from .interval_selection import best_disjoint
from .proposal_scorer import ProposalScorer, ScoredProposal


@part("stacking")
class Stacking(Priority):
    """Selects spans with a model of `stacking_trainer`. It estimates the probability that a proposed span is correct from the
    sources that propose it or an overlapping one, and their confidence. Of the spans above the threshold, the disjoint set with
    the greatest sum of probabilities above it is selected.

    Candidates of sources that are not voters of the model (`known_phi`) cannot be rejected by the vote; they are ranked by
    priority. After Wolpert 1992, "Stacked generalization", Neural Networks 5:241.
    """

    model: LinearModel
    """The model that `stacking_trainer` wrote."""
    threshold: float | None = None
    """Minimum probability of a span (0 to 1). Default: the threshold of the model, which has the best strict F1 on held-out
    documents."""
    minority: Minority = "keep"
    """Treatment of text that only spans below the threshold cover: `keep` masks it too, ranked after selected spans; `drop` does
    not mask it, and the reason of the candidate is its probability: `0.21 likely, 0.45 asked`."""

    decides_alone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: expected a number from 0 to 1, got {self.threshold:g}")

    @property
    def may_reject(self) -> bool:
        return self.minority == "drop"

    def open(self) -> None:
        if isinstance(self.model, str):
            self.model = load(LinearModel, self.model)
        _ = self._scorer

    def referenced_components(self) -> Iterator[str]:
        voters = self._meta.get("voters")
        yield from voters if isinstance(voters, list) else ()

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        if not self._meta["features"]:
            return ()
        return (Token, Sentence, *features_of(self.model).needs())

    @property
    def _meta(self) -> dict[str, Any]:
        return self.model.meta if isinstance(self.model, LinearModel) else read_description(str(self.model))

    @cached_property
    def _scorer(self) -> ProposalScorer:
        return ProposalScorer(self.model)

    def resolve_document(
        self, groups: Sequence[Sequence[CandidateSpan]], view: View, order: SourceOrder, remainder: Remainder
    ) -> list[Resolution]:
        return [
            self._resolve_group(self.rank(group, order), scored, view.text, order, remainder)
            for group, scored in zip(groups, self._scorer.score(groups, view), strict=True)
        ]

    def _resolve_group(
        self,
        ranked: Sequence[CandidateSpan],
        scored: Sequence[ScoredProposal],
        text: str,
        order: SourceOrder,
        remainder: Remainder,
    ) -> Resolution:
        voting = [c for c in ranked if c.candidate.source in self._scorer.voters]
        nonvoting = [c for c in ranked if c.candidate.source not in self._scorer.voters]
        threshold = self._scorer.threshold if self.threshold is None else self.threshold
        chosen = best_disjoint([(p.begin, p.end) for p, _ in scored], [score - threshold for _, score in scored])
        elected = [_elect(scored[i], voting) for i in chosen]
        score_of = {(p.begin, p.end, p.kind.name): score for p, score in scored}
        minority = {
            id(c): f"{score_of[c.begin, c.end, c.kind.name]:.2f} likely, {threshold:.2f} asked"
            for c in voting
            if not any(e.matches(c) for e in elected)
        }
        result = VoteResult(elected, nonvoting, minority, ("more likely", "less likely"))
        return resolve_vote(result, ranked, text, order, remainder, self.minority)


def _elect(scored: ScoredProposal, voting: Sequence[CandidateSpan]) -> ElectedSpan:
    """Return the proposal as an elected span. The winner is the best candidate with the same span, else an overlapping one."""
    proposal, score = scored
    bounds = proposal.begin, proposal.end
    around = [c for c in voting if c.begin < proposal.end and proposal.begin < c.end]
    winner = min(around, key=lambda c: ((c.begin, c.end) != bounds, c.kind is not proposal.kind))
    return ElectedSpan(*bounds, proposal.kind, winner.candidate, f"{score:.2f} likely", score)
