"""Trains the false-positive filter: learns from the gold view which candidates of annotators are right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import Cas, FeatureStructure, Phi, PhiCandidate, Sentence, Token
from .candidate_features import candidate_attributes
from .linear import fit_binary, logistic
from .model_trainer import ModelTrainer, counted
from .weights import Weights


@dataclass(slots=True)
class LabeledCandidate:
    """One candidate for training: what it looks like, its first-level kind, and whether gold agrees."""

    attributes: list[str]
    kind: str
    right: bool


@component("filter_trainer", inputs=[Token, Sentence, PhiCandidate, Phi])
class FilterTrainer(ModelTrainer):
    """Learns, for each first-level kind, to tell right candidates from false ones (linear SVM, one for each kind).

    After Ferrandez et al. 2013, "BoB, a best-of-breed automated text de-identification system": first find too much, then
    take the false hits away. A candidate is right if it shares a character with a gold span of any kind.
    """

    C: float = 0.1
    """Cost of errors (LIBLINEAR's -c)."""
    keep: float = 0.995
    """Share of right candidates that must be kept (0 to 1): sets the threshold that the model proposes, on documents left out
    in turn. A filter that takes a name away leaks it, so the default is high."""
    folds: int = 5
    """Parts that the documents are divided into to find that threshold."""

    trained_as = "filter"
    libraries = ("liblinear-official", "scipy")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.C < float("inf"):
            raise ValueError(f"C: expected a finite number above 0, got {self.C}")
        if not 0 < self.keep <= 1:
            raise ValueError(f"keep: expected a share above 0 and up to 1, got {self.keep}")
        if self.folds < 2:
            raise ValueError(f"folds: expected 2 or more, got {self.folds}")

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (*super().needs(), PhiCandidate)

    def process(self, cas: Cas) -> None:
        view, gold = self.views_of(cas)
        candidates = [c for c in view.select(PhiCandidate) if self.wants(c.kind)]
        spans = [(p.begin, p.end) for p in gold.select(Phi)]
        found = [
            LabeledCandidate(attributes, c.kind.top.name, any(b < c.end and c.begin < e for b, e in spans))
            for c, attributes in zip(candidates, candidate_attributes(view, candidates, self.feature_set), strict=True)
        ]
        self.collect(cas, found)

    def close(self) -> None:
        """Train and write the model. Raise ConsumerError if no kind has both right and false candidates."""
        documents: list[list[LabeledCandidate]] = self.take_examples()
        kinds = sorted({c.kind for found in documents for c in found})
        columns: dict[str, dict[str, float]] = {}
        biases, curves, counts_by_kind = [], {}, {}
        for kind in kinds:
            mine = [[c for c in found if c.kind == kind] for found in documents]
            judged = [c for found in mine for c in found]
            if len({c.right for c in judged}) < 2:
                continue
            columns[kind], bias = self._fit(judged)
            biases.append(bias)
            margins, right = self._left_out(mine)
            curve = logistic(margins, right) or {"slope": 1.0, "offset": 0.0}
            sure = 1 / (1 + np.exp(-(curve["slope"] * margins + curve["offset"])))
            threshold = float(np.quantile(sure[right], 1 - self.keep, method="lower"))
            curves[kind] = {**curve, "threshold": threshold}
            counts_by_kind[kind] = {"right": int(right.sum()), "false": int((~right).sum())}
            counts_by_kind[kind]["false_removed"] = int(((sure < threshold) & ~right).sum())
            counts_by_kind[kind]["right_removed"] = int(((sure < threshold) & right).sum())
        if not columns:
            raise ConsumerError(f"{self.name}: nothing to learn: no kind has both right and false candidates")
        state = {(a, kind): w for kind, found in columns.items() for a, w in found.items()}
        weights = Weights.of(list(columns), state)
        weights.bias = np.array(biases)
        spans = Counter(c.kind for found in documents for c in found)
        training = {
            "documents": len(documents),
            "tokens": 0,
            "spans": counted(spans),
            "misfits": {},
            "candidates": counts_by_kind,
        }
        self.write(weights, training, {"encoding": "io", "curves": curves})

    def _fit(self, judged: list[LabeledCandidate]) -> tuple[dict[str, float], float]:
        return fit_binary("hinge", [c.attributes for c in judged], [c.right for c in judged], self.min_count, self.C)

    def _left_out(self, documents: list[list[LabeledCandidate]]) -> tuple[Any, Any]:
        """Return margins of all candidates by models that did not see their document, and which were right."""
        margins, right = [], []
        for part in range(self.folds):
            seen = [c for i, found in enumerate(documents) if i % self.folds != part for c in found]
            unseen = [c for i, found in enumerate(documents) if i % self.folds == part for c in found]
            if len({c.right for c in seen}) == 2:
                weights, bias = self._fit(seen)
            else:
                weights, bias = {}, 0.0
            margins += [bias + sum(weights.get(a, 0.0) for a in c.attributes) for c in unseen]
            right += [c.right for c in unseen]
        return np.array(margins), np.array(right, dtype=bool)
