"""Scores of lists and network together on held-out documents, to choose an epoch (§4.3.6 of the inverse hybrid system)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...typesystem import TokenVerdict
from ..inverse.by_token import strictest
from ..inverse.decision import Thresholds
from ..inverse.word_lists import is_punctuation
from ..sequence.extraction import Floats
from ..sequence.feature import Words
from ..sequence.labels import OUTSIDE, Encoding
from .selecting import HipaaLabels, Masking, Tally


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of the lists (`safe_lists`) on the tokens of a document; None for a token without one."""

    of_tokens: list[str | None]
    maskable: list[bool]
    """False for tokens of punctuation, which are never masked."""


def verdicts_of(words: Words) -> Verdicts:
    """Return the verdicts on the tokens of a document."""
    found = strictest(words.begins, words.ends, words.view.select(TokenVerdict))
    return Verdicts([found.get(i) for i in range(len(words))], [not is_punctuation(form) for form in words.forms])


def masking(
    documents: Iterable[tuple[Sequence[str], Verdicts, Floats]], thresholds: tuple[float, float], encoding: Encoding
) -> Masking:
    """Return the scores of the adaptive threshold on documents, each as (gold labels, verdicts, probabilities of PHI).

    `thresholds`: the low and the high one, which tokens in no list need too.
    """
    low, high = thresholds
    decide = Thresholds("hybrid", low, high, high).masked
    phi, hipaa, safe = Tally(), Tally(), Tally()
    is_hipaa = HipaaLabels(encoding)
    for labels, verdicts, probabilities in documents:
        for label, verdict, maskable, p in zip(
            labels, verdicts.of_tokens, verdicts.maskable, probabilities.tolist(), strict=True
        ):
            if maskable:
                masked = bool(decide(verdict, p))
                phi.add(label != OUTSIDE, masked)
                hipaa.add(is_hipaa[label], masked)
                safe.add(label == OUTSIDE, masked)
    return Masking(hipaa.recall, phi.precision, safe.recall)
