"""Scores of an epoch on held-out documents, and the ranking of epochs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..sequence.labels import OUTSIDE, Encoding, decode

Select = Literal["f1", "recall"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores on held-out documents, 0 to 1: F1 of exact spans, and of tokens as PHI or not, regardless of kind."""

    f1: float
    token_precision: float
    token_recall: float
    token_f1: float

    def as_dict(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 5) for name in ("f1", "token_precision", "token_recall", "token_f1")}


def scores(
    documents: Iterable[tuple[Sequence[str], Sequence[str], Sequence[tuple[int, int]]]], encoding: Encoding
) -> Scores:
    """Return the scores of documents, each as (gold labels, system labels, sequences)."""
    correct = gold_spans = system_spans = 0
    both = gold_tokens = system_tokens = 0
    for gold, system, sequences in documents:
        a, b = set(decode(gold, sequences, encoding)), set(decode(system, sequences, encoding))
        correct, gold_spans, system_spans = correct + len(a & b), gold_spans + len(a), system_spans + len(b)
        for x, y in zip(gold, system, strict=True):
            gold_tokens += x != OUTSIDE
            system_tokens += y != OUTSIDE
            both += x != OUTSIDE and y != OUTSIDE
    return Scores(
        _f1(correct, gold_spans, system_spans),
        both / system_tokens if system_tokens else 0.0,
        both / gold_tokens if gold_tokens else 0.0,
        _f1(both, gold_tokens, system_tokens),
    )


def _f1(correct: int, gold: int, system: int) -> float:
    return 2 * correct / (gold + system) if gold + system else 0.0


def rank(scored: Scores, select: Select, precision_floor: float) -> tuple[Any, ...]:
    """Return a sort key that is greater for better epochs: F1 of spans, or token recall if the precision reaches the floor.

    If no epoch reaches it, the most precise one is best.
    """
    if select == "f1":
        return (scored.f1, scored.token_f1)
    enough = scored.token_precision >= precision_floor
    return (enough, scored.token_recall if enough else scored.token_precision, scored.f1)
