"""The CRF annotator: linear-chain conditional random field, trained by CRFsuite, applied by table look-up."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Any

import numpy as np

from ...pipeline.component import component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, Sentence, Token
from .decoding import lattice, viterbi
from .extraction import Floats
from .labels import parts
from .tagging import LinearTagger, SequenceTagger


class ChainTagger(SequenceTagger):
    """What is common to linear-chain CRFs, whatever scores their labels: the best path and the probability of spans.

    The confidence of a span is its probability under the model given the sequence: these labels on exactly these tokens,
    and none on their neighbours that would make the span longer (constrained forward-backward, Culotta and McCallum 2004).
    """

    @property
    def transitions(self) -> Floats:
        """Scores of label pairs, shape (labels, labels), from row to column."""
        raise TypeError(f"{type(self).__name__} must define transitions")

    @cached_property
    def _longer(self) -> list[tuple[list[int], list[int]]]:
        """For each label: those before it that it would go on from, and those after it that would go on from it."""
        known = [parts(label, self._model.meta["encoding"]) for label in self._model.labels]
        opens: dict[str, list[int]] = {}
        joins: dict[str, list[int]] = {}
        for i, (prefix, kind) in enumerate(known):
            if prefix in "BI":
                opens.setdefault(kind, []).append(i)
            if prefix in "IL":
                joins.setdefault(kind, []).append(i)
        return [
            (opens.get(kind, []) if prefix in "IL" else [], joins.get(kind, []) if prefix in "BI" else [])
            for prefix, kind in known
        ]

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        return viterbi(scores, sentences, self.transitions)

    def sureness(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        starts = [first for first, _ in sentences]
        sums, at, found = None, -1, []
        for first, last, _ in spans:
            place = bisect_right(starts, first) - 1
            begin, end = sentences[place]
            if sums is None or place != at:
                sums, at = lattice(np.ascontiguousarray(scores[begin:end]), self.transitions), place
            joined, going_on = self._longer[path[first]][0], self._longer[path[last - 1]][1]
            found.append(sums.span(first - begin, path[first:last], joined, going_on))
        return found


@component("crf", inputs=[Token, Sentence], outputs=[PhiCandidate])
class CrfAnnotator(ChainTagger, LinearTagger):
    """Marks PHI by a linear-chain CRF (Lafferty et al. 2001): the best labels of each sentence as a whole.

    The confidence of a span is its probability under the model given the sentence: these labels on exactly these tokens,
    and none on their neighbours that would make the span longer (constrained forward-backward, Culotta and McCallum 2004).
    """

    trained_as = "crf"

    @property
    def transitions(self) -> Floats:
        found = self.model.weights.transitions
        if found is None:
            raise ResourceError(f"model {self.model.place}: a CRF without transitions: damaged")
        return found
