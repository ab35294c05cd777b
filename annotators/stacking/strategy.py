"""`stacking`: a learnt vote chooses the most likely disjoint spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...pipeline.contract.component import part
from ...pipeline.contract.resources import load
from ...typesystem import FeatureStructure, Sentence, Token, View
from ..resolving import Bid, Settlement, SourceOrder
from ..resolving.claims import Remainder
from ..resolving.election import Elected, Minority, Outcome, seated
from ..resolving.strategies import Priority
from ..sequence.bundle import ModelBundle, feature_set, head
from .interval_selection import best_disjoint
from .proposal_scorer import ProposalScorer
from .proposals import Proposal

Likely = Sequence[tuple[Proposal, float]]


@part("stacking")
class Stacking(Priority):
    """A model that `stacking_trainer` trained says how likely each proposed span is right, given which sources propose it or
    something near it and how sure they are; of those above the threshold the disjoint set with the greatest sum is chosen.

    Candidates of sources that the model was not trained with (`known_phi`) cannot be voted out: they speak by priority.
    After Wolpert 1992, "Stacked generalization", Neural Networks 5:241.
    """

    model: ModelBundle
    """What `stacking_trainer` wrote."""
    threshold: float | None = None
    """Spans less likely right than this are not chosen (0 to 1). Left out: the model's own, the best in strict F1 on
    documents left out."""
    minority: Minority = "keep"
    """What becomes of text that only spans below the threshold mark: `keep` masks it all the same, after what was chosen; `drop`
    leaves it readable, the candidate stays with the reason `outvoted: 0.21 likely, 0.45 asked`."""

    judges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: expected a number from 0 to 1, got {self.threshold:g}")

    @property
    def drops(self) -> bool:
        return self.minority == "drop"

    def open(self) -> None:
        if isinstance(self.model, str):
            self.model = load(ModelBundle, self.model)
        _ = self._judge

    def mentions(self) -> Iterator[str]:
        voters = self._meta.get("voters")
        yield from voters if isinstance(voters, list) else ()

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        if not self._meta["features"]:
            return ()
        features = self.model.features if isinstance(self.model, ModelBundle) else None
        return (Token, Sentence, *(features or feature_set(self._meta, str(self.model))).needs())

    @property
    def _meta(self) -> dict[str, Any]:
        return self.model.meta if isinstance(self.model, ModelBundle) else head(str(self.model))

    @cached_property
    def _judge(self) -> ProposalScorer:
        return ProposalScorer(self.model)

    @property
    def _least(self) -> float:
        return self._judge.threshold if self.threshold is None else self.threshold

    def settle_all(
        self, groups: Sequence[Sequence[Bid]], view: View, order: SourceOrder, remainder: Remainder
    ) -> list[Settlement]:
        judged = self._judge.judged(groups, view)
        return [
            self._settled(self.ranked(group, order), likely, view.text, order, remainder)
            for group, likely in zip(groups, judged, strict=True)
        ]

    def _settled(
        self, ranked: Sequence[Bid], likely: Likely, text: str, order: SourceOrder, remainder: Remainder
    ) -> Settlement:
        voting = [b for b in ranked if self._judge.roll.voter(b.candidate.source) is not None]
        guests = [b for b in ranked if self._judge.roll.voter(b.candidate.source) is None]
        least = self._least
        chosen = best_disjoint([(p.begin, p.end) for p, _ in likely], [sure - least for _, sure in likely])
        elected = [_elected(*likely[i], voting) for i in chosen]
        found = {(p.begin, p.end, p.kind.name): sure for p, sure in likely}
        minority = {
            id(b): f"{found[b.begin, b.end, b.kind.name]:.2f} likely, {least:.2f} asked"
            for b in voting
            if not any(e.is_of(b) for e in elected)
        }
        outcome = Outcome(elected, guests, minority, ("more likely", "less likely"))
        return seated(outcome, ranked, text, order, remainder, self.minority)


def _elected(proposal: Proposal, sure: float, voting: Sequence[Bid]) -> Elected:
    """The best voter that says just this speaks for it; else one of its kind that overlaps it."""
    around = [b for b in voting if b.begin < proposal.end and proposal.begin < b.end]
    bounds = proposal.begin, proposal.end
    speaker = min(around, key=lambda b: ((b.begin, b.end) != bounds, b.kind is not proposal.kind))
    reason = f"{sure:.2f} likely"
    return Elected(*bounds, proposal.kind, speaker.candidate, reason, sure)
