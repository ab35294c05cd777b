"""Which epoch is kept: how good each was on held-out documents, and what counts as best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..sequence.labels import OUTSIDE, Encoding, decode

Select = Literal["f1", "recall"]


@dataclass(frozen=True, slots=True)
class Scores:
    """On held-out documents: of spans that must be exact, and of tokens that are PHI or not, whatever kind. All 0 to 1."""

    f1: float
    token_precision: float
    token_recall: float
    token_f1: float

    def as_dict(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 5) for name in ("f1", "token_precision", "token_recall", "token_f1")}


def scores(
    documents: Iterable[tuple[Sequence[str], Sequence[str], Sequence[tuple[int, int]]]], encoding: Encoding
) -> Scores:
    """Over documents as (gold labels, found labels, sequences)."""
    right = gold_spans = found_spans = 0
    both = gold_tokens = found_tokens = 0
    for gold, found, sequences in documents:
        a, b = set(decode(gold, sequences, encoding)), set(decode(found, sequences, encoding))
        right, gold_spans, found_spans = right + len(a & b), gold_spans + len(a), found_spans + len(b)
        for x, y in zip(gold, found, strict=True):
            gold_tokens += x != OUTSIDE
            found_tokens += y != OUTSIDE
            both += x != OUTSIDE and y != OUTSIDE
    return Scores(
        _f1(right, gold_spans, found_spans),
        both / found_tokens if found_tokens else 0.0,
        both / gold_tokens if gold_tokens else 0.0,
        _f1(both, gold_tokens, found_tokens),
    )


def _f1(right: int, gold: int, found: int) -> float:
    return 2 * right / (gold + found) if gold + found else 0.0


def rank(found: Scores, select: Select, precision_floor: float) -> tuple[Any, ...]:
    """The larger, the better: by F1 of spans, or by recall of tokens among epochs whose precision reaches the floor.

    Where no epoch reaches it, the most precise one is best.
    """
    if select == "f1":
        return (found.f1, found.token_f1)
    enough = found.token_precision >= precision_floor
    return (enough, found.token_recall if enough else found.token_precision, found.f1)
