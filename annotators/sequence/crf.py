"""The CRF annotator: linear-chain conditional random field, trained by CRFsuite, applied by table look-up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, Sentence, Token
from .confidence import SpanProbabilities
from .extraction import Floats
from .feature import Words
from .labels import OUTSIDE, parts
from .tagging import LinearTagger, ScoredBlock, SequenceTagger
from .viterbi import Bools, Decoder, decoder

FORCED = 1e6
"""Added to or subtracted from the score of `O` so that a token is outside or inside of a span in any case."""


CONTINUED = 0.4
"""Probability of PHI that the part of a span in the next line or column needs. Measured on phi-notes train: names in the next
line have 0.43 or more, the label of the next field (`Admission`, `Ward:`, `2.`) mostly less than 0.2."""


@dataclass(kw_only=True, eq=False, repr=False)
class ChainTagger(SequenceTagger):
    """The base class of annotators with a linear-chain CRF."""

    threshold: float | None = None
    """Mark every token whose probability of PHI is at least this (0 to 1), instead of the most probable labels; the confidence of
    a span is then the mean of these probabilities. Lower values find more; replaces `outside_bias`."""

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: expected a number from 0 to 1, got {self.threshold:g}")

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

    def marked(self, words: Words, blocks: Iterable[ScoredBlock]) -> Iterator[PhiCandidate]:
        labels = self._model.labels
        if self.threshold is None or OUTSIDE not in labels:
            yield from super().marked(words, blocks)
            return
        total = 0.0  # of the tokens before the block: the sums are those of the whole document
        for block in blocks:
            phi = self._span_probabilities.of_tokens(block.scores, block.sequences)[:, self._marked_labels].sum(axis=1)
            totals = np.concatenate([[total], phi]).cumsum()
            total = float(totals[-1])
            inside = phi >= self.threshold
            decided = block.scores.copy()
            decided[:, labels.index(OUTSIDE)] += np.where(inside, -FORCED, FORCED)
            path = self.best(decided, block.sequences, inside)
            yield from self.spans_of(
                words, block, path, partial(_means, totals), partial(_pieces, phi, words.breaks, block.first)
            )

    @cached_property
    def _marked_labels(self) -> list[int]:
        encoding = self._model.meta["encoding"]
        return [i for i, label in enumerate(self._model.labels) if parts(label, encoding)[1] in self._wanted]

    def best(self, scores: Floats, sentences: list[tuple[int, int]], inside: Bools | None = None) -> list[int]:
        """Return the label number of every token. `inside` is false for tokens that are decided to be outside of spans."""
        return self._decoder(scores, sentences, inside=inside)

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


def _pieces(
    phi: Floats, breaks: frozenset[int], offset: int, span: tuple[int, int, str]
) -> Iterator[tuple[int, int, str]]:
    """Yield the parts of a span between the lines and columns it runs over: each has a confidence of its own.

    Without those whose probability is below CONTINUED: they only continue the span beside them.
    """
    first, last, kind = span
    begins = [first, *(token for token in range(first + 1, last) if token + offset in breaks)]
    for begin, end in zip(begins, [*begins[1:], last], strict=True):
        if len(begins) == 1 or float(phi[begin:end].mean()) >= CONTINUED:
            yield begin, end, kind


def _means(totals: Floats, spans: list[Any]) -> list[float]:
    """Return the mean of each span's tokens, from the sums of all tokens up to each one."""
    return [float((totals[end] - totals[begin]) / (end - begin)) for begin, end, _ in spans]
