"""From the scores of a GLiNER graph to spans of words that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from .windows import Floats

Scored = tuple[int, int, int, float]
"""First word, last word (inclusive), number of the label, probability."""

LONGEST = 64
"""Words in the longest span of the token form, which sets no limit of its own; without one a text could make work quadratic."""


def chance(scores: Floats) -> Floats:
    """Return the logistic function of scores, computed without overflow."""
    powers = np.exp(-np.abs(scores))
    return np.asarray(np.where(scores >= 0, 1 / (1 + powers), powers / (1 + powers)), dtype=np.float32)


def in_spans(stretches: Iterable[tuple[int, Floats]], threshold: float) -> list[Scored]:
    """From stretches of scores, (words, widths, labels): every span above the threshold, with its likeliest label.

    Spans that no window held whole are NaN, and left out.
    """
    found: list[Scored] = []
    for base, scores in stretches:
        best = scores.argmax(axis=2)
        chances = chance(np.take_along_axis(scores, best[..., None], axis=2)[..., 0])
        with np.errstate(invalid="ignore"):
            first, width = np.nonzero(chances > threshold)
        found += zip(
            (base + first).tolist(),
            (base + first + width).tolist(),
            best[first, width].tolist(),
            chances[first, width].tolist(),
            strict=True,
        )
    return found


def in_tokens(stretches: Iterable[tuple[int, Floats]], threshold: float) -> list[Scored]:
    """From stretches of scores, (words, labels, 3): every span that begins, stays inside and ends above the threshold.

    Its probability is the least of all these.
    """
    chances = chance(np.concatenate([scores for _, scores in stretches]))
    found: list[Scored] = []
    for label in range(chances.shape[1]):
        begins, ends, inside = (chances[:, label, i] for i in range(3))
        for first in np.flatnonzero((begins > threshold) & (inside >= threshold)).tolist():
            least = float(begins[first])
            for last in range(first, min(first + LONGEST, len(chances))):
                if inside[last] < threshold:
                    break
                least = min(least, float(inside[last]))
                if ends[last] > threshold:
                    found.append((first, last, label, min(least, float(ends[last]))))
    return found


def apart(found: Iterable[Scored]) -> Iterator[Scored]:
    """Those that do not overlap, likelier ones first chosen, in text order. Ties: the earlier, the longer, the first label."""
    order = sorted(found, key=lambda s: (-s[3], s[0], -s[1], s[2]))
    taken = bytearray(max((s[1] for s in order), default=-1) + 1)
    kept = []
    for one in order:
        first, end = one[0], one[1] + 1
        if not (taken[first] or taken[end - 1]) and 1 not in taken[first:end]:
            taken[first:end] = b"\1" * (end - first)
            kept.append(one)
    yield from sorted(kept)
