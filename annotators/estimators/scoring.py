"""Scores of predicted spans, and scorers for the model selection of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...consumers.scoring import Level, Mark, Pair, Scores, at_level, score
from ...consumers.scoring.counts import Figure
from ...typesystem.tokenize import token_spans
from .checking import check_spans, check_texts


def score_spans(
    X: Any, y: Any, found: Any, criteria: Sequence[str] = ("strict", "covering", "overlapping"), level: Level = "kind"
) -> Scores:
    """Return the scores of found spans against the reference spans `y` of texts: by criterion and kind.

    `criteria` and `level` are those of `caspipe evaluate`: `strict`, `covering`, `overlapping`, `characters`, `documents`, ...;
    `level="top"` compares kinds at the first level. Raises ValueError for spans that are not those of the texts, ConsumerError
    for an unknown criterion.
    """
    texts = check_texts("score_spans", X)
    gold, system = check_spans("score_spans", y, texts), check_spans("score_spans: found", found, texts)
    pairs = [
        Pair(f"X[{i}]", text, [Mark(*span) for span in right], [Mark(*span) for span in left], token_spans(text))
        for i, (text, right, left) in enumerate(zip(texts, gold, system, strict=True))
    ]
    return score([at_level(pair, level) for pair in pairs], criteria)


@dataclass(frozen=True)
class SpanScorer:
    """A scorer for `scoring=` of `GridSearchCV`, `cross_validate` and others: one figure over all spans of the texts.

        cross_validate(PhiDetector(), texts, spans, scoring={"recall": SpanScorer("covering", "recall")})

    `kind`: a kind, `micro` (all spans) or `macro` (mean over kinds). Undefined figures are NaN, except F1 if spans were to be
    found and none was: it is 0, so that a selection of models takes another one.
    """

    criterion: str = "strict"
    figure: Figure = "f1"
    kind: str = "micro"
    level: Level = "kind"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the figure for what the estimator predicts."""
        scores = score_spans(X, y, estimator.predict(X), (self.criterion,), self.level)
        value = scores.value(self.criterion, self.kind, self.figure)
        if value is None and self.figure == "f1" and scores.value(self.criterion, self.kind, "recall") is not None:
            return 0.0
        return float("nan") if value is None else value
