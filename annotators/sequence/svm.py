"""The SVM annotator: linear support vector machines, trained by LIBLINEAR, applied by table look-up."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...pipeline.component import component
from ...typesystem import PhiCandidate, Sentence, Token
from .decoding import viterbi
from .extraction import Floats
from .tagging import LinearTagger


@component("svm", inputs=[Token, Sentence], outputs=[PhiCandidate])
class SvmAnnotator(LinearTagger):
    """Marks PHI by linear SVMs, one for each label (Fan et al. 2008, "LIBLINEAR"): each token gets the label that scores highest.

    The confidence of a span is that of its least sure token: the margin to the next best label, turned into a
    probability by a logistic curve fitted on documents held out in training (Platt 1999).
    """

    trained_as = "svm"

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        pairs = self.model.weights.transitions
        return viterbi(scores, sentences, pairs) if pairs is not None else scores.argmax(axis=1).tolist()

    def sureness(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        curve = self.model.meta.get("calibration") or {"slope": 1.0, "offset": 0.0}
        found = []
        for first, last, _ in spans:
            tokens = np.arange(first, last)
            chosen = scores[tokens, path[first:last]]
            others = scores[first:last].copy()
            others[np.arange(last - first), path[first:last]] = -np.inf
            margin = float((chosen - others.max(axis=1)).min()) if scores.shape[1] > 1 else 0.0
            found.append(float(1 / (1 + np.exp(-(curve["slope"] * margin + curve["offset"])))))
        return found
