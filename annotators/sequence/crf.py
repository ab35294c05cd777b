"""The CRF annotator: linear-chain conditional random field, trained by CRFsuite, applied by table look-up."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, Sentence, Token
from .confidence import SpanProbabilities
from .extraction import Floats
from .labels import parts
from .tagging import LinearTagger, SequenceTagger
from .viterbi import Decoder, decoder


class ChainTagger(SequenceTagger):
    """The base class of annotators with a linear-chain CRF."""

    @property
    def transitions(self) -> Floats:
        """Scores of label pairs, shape (labels, labels), from row to column."""
        raise TypeError(f"{type(self).__name__} must define transitions")

    @cached_property
    def _decoder(self) -> Decoder:
        return decoder(self._model.labels, self.transitions)

    @cached_property
    def _span_probabilities(self) -> SpanProbabilities:
        known = [parts(label, self._model.meta["encoding"]) for label in self._model.labels]
        before, after = np.ones((2, len(known), len(known)))
        for i, (prefix, kind) in enumerate(known):
            for j, (other, its_kind) in enumerate(known):
                if kind == its_kind and prefix in "IL" and other in "BI":
                    before[i, j] = 0.0
                if kind == its_kind and prefix in "BI" and other in "IL":
                    after[i, j] = 0.0
        return SpanProbabilities(self.transitions, before, after)

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        return self._decoder(scores, sentences)

    def confidences(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        return self._span_probabilities.of(scores, path, [(first, last) for first, last, _ in spans], sentences)


@component("crf", inputs=[Token, Sentence], outputs=[PhiCandidate])
class CrfAnnotator(ChainTagger, LinearTagger):
    """Marks PHI by a linear-chain CRF (Lafferty et al. 2001): the best labels of each sentence as a whole.

    The confidence of a span is its probability under the model given the sentence: these labels on exactly these tokens,
    and none on their neighbors that would make the span longer (constrained forward-backward, Culotta and McCallum 2004).
    """

    trained_as = "crf"

    @property
    def transitions(self) -> Floats:
        found = self.model.weights.transitions
        if found is None:
            raise ResourceError(f"model {self.model.place}: a CRF without transitions: damaged")
        return found
