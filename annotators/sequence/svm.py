"""The SVM annotator: linear support vector machines, trained by LIBLINEAR, applied by table look-up."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...typesystem import PhiCandidate, Sentence, Token
from .extraction import Floats
from .tagging import LinearTagger
from .viterbi import Decoder, decoder


@component("svm", inputs=[Token, Sentence], outputs=[PhiCandidate])
class SvmAnnotator(LinearTagger):
    """Marks PHI by linear SVMs, one for each label (Fan et al. 2008, "LIBLINEAR"): each token gets the label that scores highest.

    The confidence of a span is that of its least sure token: the margin to the next best label, turned into a
    probability by a logistic curve fitted on documents held out in training (Platt 1999).
    """

    trained_as = "svm"

    @cached_property
    def _decoder(self) -> Decoder | None:
        pairs = self.model.weights.transitions
        return None if pairs is None else decoder(self.model.labels, pairs)

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        if self._decoder is None:
            return scores.argmax(axis=1).tolist()  # type: ignore[no-any-return]
        return self._decoder(scores, sentences)

    def confidences(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        if not spans:
            return []
        curve = self.model.meta.get("calibration") or {"slope": 1.0, "offset": 0.0}
        tokens = np.array([t for first, last, _ in spans for t in range(first, last)])
        labels = np.array([path[t] for t in tokens.tolist()])
        others, rows = scores[tokens], np.arange(len(tokens))
        chosen = others[rows, labels]
        others[rows, labels] = -np.inf
        margins = chosen - others.max(axis=1) if scores.shape[1] > 1 else np.zeros(len(tokens))
        begins = np.cumsum([0, *[last - first for first, last, _ in spans[:-1]]])
        least = np.minimum.reduceat(margins, begins)
        found: list[float] = (1 / (1 + np.exp(-(curve["slope"] * least + curve["offset"])))).tolist()
        return found
