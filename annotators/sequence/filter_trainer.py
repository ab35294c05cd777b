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
from .folds import folds
from .linear import fit_svm, logistic
from .model_trainer import ModelTrainer, counted
from .training import source_document
from .weights import Weights


@dataclass(slots=True)
class LabeledCandidate:
    """One candidate for training: what it looks like, its first-level kind, whether gold agrees, and its document."""

    attributes: list[str]
    kind: str
    right: bool
    source: str


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
    """Parts that the documents are divided into to find that threshold. Copies of a document are in its part."""

    trained_as = "filter"
    libraries = ("liblinear-official", "scikit-learn", "scipy")

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
        source = source_document(cas)
        found = [
            LabeledCandidate(attributes, c.kind.top.name, any(b < c.end and c.begin < e for b, e in spans), source)
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
            judged = [c for found in documents for c in found if c.kind == kind]
            if len({c.right for c in judged}) < 2:
                continue
            columns[kind], bias = self._fit(judged)
            biases.append(bias)
            margins, right = self._left_out(judged)
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
        return fit_svm([c.attributes for c in judged], [c.right for c in judged], self.min_count, self.C)

    def _left_out(self, judged: list[LabeledCandidate]) -> tuple[Any, Any]:
        """Return margins of all candidates by models that did not see their document, and which were right.

        With a single document, all margins are 0.
        """
        groups, strata = [c.source for c in judged], ["right" if c.right else "wrong" for c in judged]
        n = min(self.folds, len(set(groups)))
        if n < 2:
            return np.zeros(len(judged)), np.array([c.right for c in judged], dtype=bool)
        margins, right = [], []
        for train, test in folds(groups, n, self.seed, strata):
            seen, unseen = [judged[i] for i in train], [judged[i] for i in test]
            if len({c.right for c in seen}) == 2:
                weights, bias = self._fit(seen)
            else:
                weights, bias = {}, 0.0
            margins += [bias + sum(weights.get(a, 0.0) for a in c.attributes) for c in unseen]
            right += [c.right for c in unseen]
        return np.array(margins), np.array(right, dtype=bool)
