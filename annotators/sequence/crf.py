"""The CRF annotator: linear-chain conditional random field, trained by CRFsuite, applied by table look-up."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Any

import numpy as np

from ...pipeline.component import component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, Sentence, Token
from .decoding import Lattice, viterbi
from .extraction import Floats
from .labels import parts
from .tagging import LinearTagger


@component("crf", inputs=[Token, Sentence], outputs=[PhiCandidate])
class CrfAnnotator(LinearTagger):
    """Marks PHI by a linear-chain CRF (Lafferty et al. 2001): the best labels of each sentence as a whole.

    The confidence of a span is its probability under the model given the sentence: exactly these tokens, exactly this
    kind (constrained forward-backward, Culotta and McCallum 2004).
    """

    trained_as = "crf"

    @property
    def _transitions(self) -> Floats:
        found = self.model.weights.transitions
        if found is None:
            raise ResourceError(f"model {self.model.place}: a CRF without transitions: damaged")
        return found

    @cached_property
    def _going_on(self) -> dict[str, list[int]]:
        """For each kind: numbers of the labels that make a span of it longer."""
        found: dict[str, list[int]] = {}
        for i, label in enumerate(self._scorer.labels):
            prefix, kind = parts(label, self.model.meta["encoding"])
            if prefix in ("I", "L"):
                found.setdefault(kind, []).append(i)
        return found

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        return viterbi(scores, sentences, self._transitions)

    def sureness(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        starts = [first for first, _ in sentences]
        lattice, at, found = None, -1, []
        for first, last, kind in spans:
            place = bisect_right(starts, first) - 1
            begin, end = sentences[place]
            if lattice is None or place != at:
                lattice, at = Lattice(np.ascontiguousarray(scores[begin:end]), self._transitions), place
            found.append(lattice.span(first - begin, path[first:last], self._going_on.get(kind, [])))
        return found
