"""Trains the stacked vote on the gold view, to select the correct spans of several finders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import Cas, FeatureStructure, Phi, PhiCandidate, PhiKind, Sentence, Token
from ..resolving.candidates import VETOED, CandidateSpan, SourceSet, group_overlapping, trim
from ..sequence.feature import Feature
from ..sequence.linear_model import write_linear_model
from ..sequence.model_features import attached_files
from ..sequence.model_trainer import ModelTrainer, counted
from ..sequence.training import source_document
from ..sequence.weights import Weights
from .card import stacking_card
from .combiner import fit_combiner
from .interval_selection import best_disjoint
from .proposal_scorer import RIGHT, proposals_with_attributes, votes_of

THRESHOLDS = [n / 20 for n in range(4, 17)]
"""Candidate thresholds, evaluated on held-out documents: 0.2 to 0.8."""


@dataclass(slots=True)
class TrainingProposal:
    """A proposal with its attributes and whether it is correct."""

    begin: int
    end: int
    kind: str
    attributes: list[str]
    right: bool


@dataclass(slots=True)
class Example:
    """One document for training."""

    proposals: list[TrainingProposal]
    gold: Counter[str]
    """Kind -> number of gold spans."""
    alone: dict[str, tuple[int, int]]
    """Voter -> number of its spans, and number of its correct spans."""
    source: str
    """The document, or the one that it is a copy of."""

    @property
    def matched(self) -> int:
        """The number of gold spans that a proposal matches."""
        return len({(p.begin, p.end) for p in self.proposals if p.right})


@component("stacking_trainer", inputs=[Token, Sentence, PhiCandidate, Phi])
class StackingTrainer(ModelTrainer):
    """Trains a logistic regression that selects the correct spans among the candidates of several finders.

    The finders must not be trained on the same documents: they are more accurate on these, and the vote would overestimate them.
    An experiment avoids this: a model with `of`, this trainer and a resolver with the strategy `stacking` is trained on the
    output of the models in `of` for documents that were left out of their training (docs/how-to/ensembles.md).
    """

    voters: list[str]
    """Components or aggregates that vote; an entry matches any element of a source's path, so the pipeline that applies the
    model may call them by longer paths."""
    features: list[Feature] = field(default_factory=list)
    """Features of the tokens in and around each span, in addition to the candidates. Without features, training is fast, and the
    model contains no text."""
    window: tuple[int, int] = (-2, 2)
    """First and last token with features, relative to the span."""
    C: float | list[float] = 0.1
    """Inverse strength of the L2 regularization: smaller values mean stronger regularization. Of a list, the value with the
    lowest log loss in cross-validation."""
    min_count: int = 2
    """Minimum frequency of attributes in training."""
    first_level: bool = False
    """Compare only first-level kinds: PERSON_DOCTOR is then correct for PERSON_PATIENT."""
    folds: int = 5
    """Number of folds of the cross-validation that chooses C and the threshold. Copies of a document are in its fold."""

    trained_as = "stacking"
    libraries = ("scikit-learn", "scipy")
    bare = True

    def __post_init__(self) -> None:
        if len(self.voters) < 2 or len(set(self.voters)) < len(self.voters):
            raise ValueError(f"voters: expected two or more different names, got {len(self.voters)}")
        if not self._strengths or not all(0 < c < float("inf") for c in self._strengths):
            raise ValueError(f"C: expected a finite number above 0, or several of them, got {self.C}")
        if self.folds < 2:
            raise ValueError(f"folds: expected 2 or more, got {self.folds}")
        super().__post_init__()

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (*super().needs(), PhiCandidate)

    @property
    def _strengths(self) -> list[float]:
        return self.C if isinstance(self.C, list) else [self.C]

    @cached_property
    def _voters(self) -> SourceSet:
        return SourceSet(self.voters)

    def process(self, cas: Cas) -> None:
        view, gold = self.views_of(cas)
        candidates = []
        for c in view.select(PhiCandidate):
            begin, end = trim(view.text, c.begin, c.end)
            if begin < end and not c.reason.startswith(VETOED) and self.wants(c.kind):
                candidates.append(CandidateSpan(begin, end, c))
        right = {(p.begin, p.end, self._name_of(p.kind)) for p in gold.select(Phi) if self.wants(p.kind)}
        votes = [group for candidate in group_overlapping(candidates) if (group := votes_of(candidate, self._voters))]
        proposals = [
            TrainingProposal(p.begin, p.end, p.kind.name, names, (p.begin, p.end, self._name_of(p.kind)) in right)
            for group in proposals_with_attributes(votes, self.voters, view, self.feature_set)
            for p, names in group
        ]
        alone = {}
        for voter in self.voters:
            own = {(v.begin, v.end, self._name_of(v.kind)) for group in votes for v in group if v.voter == voter}
            alone[voter] = len(own), len(own & right)
        gold_kinds = Counter(kind for _, _, kind in right)
        self.collect(cas, Example(proposals, gold_kinds, alone, source_document(cas)))

    def _name_of(self, kind: PhiKind) -> str:
        return kind.top.name if self.first_level else kind.name

    def close(self) -> None:
        """Train and write the model. Raises ConsumerError if the documents do not suffice."""
        examples: list[Example] = self.take_examples()
        silent = [v for v in self.voters if not any(e.alone[v][0] for e in examples)]
        if silent:
            raise ConsumerError(
                f"{self.name}: no candidate of {', '.join(silent)} in {len(examples)} documents: is it upstream?"
            )
        if len({p.right for e in examples for p in e.proposals}) < 2:
            raise ConsumerError(f"{self.name}: nothing to learn: all candidates are right, or all are wrong")
        try:
            combiner = fit_combiner(
                [p.attributes for e in examples for p in e.proposals],
                [p.right for e in examples for p in e.proposals],
                [e.source for e in examples for _ in e.proposals],
                strengths=self._strengths,
                min_count=self.min_count,
                n=self.folds,
                seed=self.seed,
            )
        except ValueError as error:
            raise ConsumerError(f"{self.name}: {error}") from None
        gold = sum(sum(e.gold.values()) for e in examples)
        f1 = {t: _f1(examples, combiner.left_out, t, gold) for t in THRESHOLDS} if combiner.left_out else {}
        threshold = max(f1, key=lambda t: (f1[t], -abs(t - 0.5))) if f1 else 0.5
        weights = Weights.of([RIGHT], {(name, RIGHT): w for name, w in combiner.weights.items()})
        weights.bias = np.array([combiner.bias])
        training = {
            "documents": len(examples),
            "tokens": 0,
            "spans": counted(sum((e.gold for e in examples), Counter())),
            "misfits": {},
            "stacking": {
                "C": combiner.C,
                "proposals": sum(len(e.proposals) for e in examples),
                "found_by_any": round(sum(e.matched for e in examples) / gold, 4) if gold else None,
                "left_out_f1": round(f1[threshold], 4) if f1 else None,
                "alone_f1": {v: _alone_f1(examples, v, gold) for v in self.voters},
            },
        }
        self.write(weights, training, {"encoding": "io", "voters": list(self.voters), "threshold": threshold})

    def write(
        self, weights: Weights, training: dict[str, Any], facts: dict[str, Any], crfsuite: bytes | None = None
    ) -> None:
        weights.verify()
        meta = self.describe(weights.labels, weights.active, training, facts)
        path = self.output / self.model
        write_linear_model(path, meta, weights, stacking_card(meta), crfsuite, attached_files(self.features))
        self.written(meta)


def _f1(examples: Sequence[Example], left_out: Sequence[float], threshold: float, gold: int) -> float:
    """Return the strict F1 of the spans chosen at a threshold; `left_out` has the probabilities of all proposals."""
    marked = right = begin = 0
    for e in examples:
        scores = left_out[begin : begin + len(e.proposals)]
        begin += len(e.proposals)
        chosen = best_disjoint([(p.begin, p.end) for p in e.proposals], [score - threshold for score in scores])
        marked += len(chosen)
        right += sum(e.proposals[i].right for i in chosen)
    return 2 * right / (marked + gold) if right else 0.0


def _alone_f1(examples: Sequence[Example], voter: str, gold: int) -> float:
    marked, right = (sum(e.alone[voter][n] for e in examples) for n in (0, 1))
    return round(2 * right / (marked + gold), 4) if right else 0.0
