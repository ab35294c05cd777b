"""Decodes the scores of a GLiNER graph into spans of words that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .windows import Floats

ScoredSpan = tuple[int, int, int, float]
"""First word, last word (inclusive), index of the label, probability."""

MAX_SPAN = 64
"""Maximum number of words in a span of the token variant, which sets no limit itself; prevents quadratic running time."""


def sigmoid(scores: Floats) -> Floats:
    """Return the logistic function of scores, computed without overflow."""
    powers = np.exp(-np.abs(scores))
    return np.asarray(np.where(scores >= 0, 1 / (1 + powers), powers / (1 + powers)), dtype=np.float32)


def decode_span_scores(chunks: Iterable[tuple[int, Floats]], threshold: float) -> list[ScoredSpan]:
    """Return every span above the threshold, with its most probable label. Chunks of scores: (words, widths, labels).

    Spans that are not within any window have the score NaN and are left out.
    """
    spans: list[ScoredSpan] = []
    for start, scores in chunks:
        best = scores.argmax(axis=2)
        probabilities = sigmoid(np.take_along_axis(scores, best[..., None], axis=2)[..., 0])
        with np.errstate(invalid="ignore"):
            first, width = np.nonzero(probabilities > threshold)
        spans += zip(
            (start + first).tolist(),
            (start + first + width).tolist(),
            best[first, width].tolist(),
            probabilities[first, width].tolist(),
            strict=True,
        )
    return spans


def decode_token_scores(chunks: Iterable[tuple[int, Floats]], threshold: float) -> list[ScoredSpan]:
    """Return every span whose begin, inside and end scores reach the threshold. Chunks of scores: (words, labels, 3).

    The probability of a span is the minimum of these.
    """
    probabilities = sigmoid(np.concatenate([scores for _, scores in chunks]))
    spans: list[ScoredSpan] = []
    for label in range(probabilities.shape[1]):
        begins, ends, inside = (probabilities[:, label, i] for i in range(3))
        for first in np.flatnonzero((begins > threshold) & (inside >= threshold)).tolist():
            minimum = float(begins[first])
            for last in range(first, min(first + MAX_SPAN, len(probabilities))):
                if inside[last] < threshold:
                    break
                minimum = min(minimum, float(inside[last]))
                if ends[last] > threshold:
                    spans.append((first, last, label, min(minimum, float(ends[last]))))
    return spans


def select_disjoint(spans: Iterable[ScoredSpan]) -> list[ScoredSpan]:
    """Return spans that do not overlap, in text order: more probable ones first, then earlier, longer, of the first label."""
    ranked = sorted(spans, key=lambda s: (-s[3], s[0], -s[1], s[2]))
    covered = bytearray(max((s[1] for s in ranked), default=-1) + 1)
    selected = []
    for span in ranked:
        first, end = span[0], span[1] + 1
        if not (covered[first] or covered[end - 1]) and 1 not in covered[first:end]:
            covered[first:end] = b"\1" * (end - first)
            selected.append(span)
    return sorted(selected)
