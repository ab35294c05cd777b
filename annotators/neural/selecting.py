"""Scores of an epoch on held-out documents, and the ranking of epochs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ...pipeline.errors import ConsumerError
from ...typesystem import CaspipeWarning, counts_for_hipaa
from ..sequence.labels import OUTSIDE, Encoding, decode, parts

Select = Literal["f1", "recall", "hipaa_f1", "hipaa_recall", "masking_recall"]
OF_HIPAA = ("hipaa_f1", "hipaa_recall", "masking_recall")
"""Criteria that need the kinds of the reference."""


@dataclass(frozen=True, slots=True)
class Masking:
    """Scores of the decision of lists and network together, 0 to 1, by token with a letter or digit.

    `recall`: masked tokens among those of HIPAA kinds; `precision`: tokens of PHI among the masked ones; `safe_removed`: masked
    tokens among those that are not PHI.
    """

    recall: float
    precision: float
    safe_removed: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores on held-out documents, 0 to 1: F1 of exact spans, and of tokens as PHI or not, regardless of kind.

    `hipaa_...` compare tokens of a HIPAA kind with tokens labeled as any HIPAA kind. `safe_removed` is the share
    of the tokens that are not PHI and are labeled as PHI.
    """

    f1: float
    token_precision: float
    token_recall: float
    token_f1: float
    hipaa_precision: float
    hipaa_recall: float
    hipaa_f1: float
    safe_removed: float
    masking_recall: float | None = None
    masking_precision: float | None = None
    masking_safe_removed: float | None = None
    """Scores of lists and network together (`Masking`), if the epoch is chosen by them."""

    def with_masking(self, masking: Masking) -> Scores:
        """Return these scores with those of lists and network together."""
        recall, precision, removed = masking.recall, masking.precision, masking.safe_removed
        return replace(self, masking_recall=recall, masking_precision=precision, masking_safe_removed=removed)

    def as_dict(self) -> dict[str, float]:
        found = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: round(value, 5) for name, value in found if value is not None}


@dataclass(slots=True)
class Tally:
    """Counts of tokens that are marked in the reference, by the system, and by both."""

    both: int = 0
    gold: int = 0
    system: int = 0

    def add(self, gold: bool, system: bool) -> None:
        self.gold += gold
        self.system += system
        self.both += gold and system

    @property
    def precision(self) -> float:
        return self.both / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.both / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.both / (self.gold + self.system) if self.gold + self.system else 0.0


def scores(
    documents: Iterable[tuple[Sequence[str], Sequence[str], Sequence[tuple[int, int]]]], encoding: Encoding
) -> Scores:
    """Return the scores of documents, each as (gold labels, system labels, sequences)."""
    spans, phi, hipaa = Tally(), Tally(), Tally()
    tokens, is_hipaa = 0, HipaaLabels(encoding)
    for gold, system, sequences in documents:
        a, b = set(decode(gold, sequences, encoding)), set(decode(system, sequences, encoding))
        spans.both, spans.gold, spans.system = spans.both + len(a & b), spans.gold + len(a), spans.system + len(b)
        tokens += len(gold)
        for x, y in zip(gold, system, strict=True):
            phi.add(x != OUTSIDE, y != OUTSIDE)
            hipaa.add(is_hipaa[x], is_hipaa[y])
    safe = tokens - phi.gold
    return Scores(
        spans.f1,
        phi.precision,
        phi.recall,
        phi.f1,
        hipaa.precision,
        hipaa.recall,
        hipaa.f1,
        (phi.system - phi.both) / safe if safe else 0.0,
    )


class HipaaLabels(dict[str, bool]):
    """True for each label of a token that is of a HIPAA kind."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def __missing__(self, label: str) -> bool:
        self[label] = label != OUTSIDE and counts_for_hipaa(parts(label, self.encoding)[1])
        return self[label]


def rank(scored: Scores, select: Select, precision_floor: float) -> tuple[Any, ...]:
    """Return a sort key that is greater for better epochs.

    `f1` and `hipaa_f1`: the F1 of spans, or of tokens of HIPAA kinds. Others: the recall of tokens among the epochs that are
    `usable`; if none is, the most precise one is best, and one that masks everything the worst.
    """
    if select == "f1":
        return (scored.f1, scored.token_f1)
    if select == "hipaa_f1":
        return (scored.hipaa_f1, scored.f1)
    recall, precision, removed = _measured(scored, select)
    if usable(scored, select, precision_floor):
        return (2, recall, precision)
    return (int(removed < 1), precision, scored.f1)


def usable(scored: Scores, select: Select, precision_floor: float) -> bool:
    """Return whether an epoch may be chosen by recall: its precision reaches the floor, and some safe token stays readable.

    An epoch that masks everything has the highest recall and no use. Always true for F1, which contains the precision.
    """
    if select in ("f1", "hipaa_f1"):
        return True
    _, precision, removed = _measured(scored, select)
    return removed < 1 and precision >= precision_floor


def _measured(scored: Scores, select: Select) -> tuple[float, float, float]:
    """Return the recall, the precision and the share of safe tokens removed that a choice by recall uses."""
    if select == "masking_recall":
        found = scored.masking_recall, scored.masking_precision, scored.masking_safe_removed
        if None in found:
            raise ValueError("masking_recall: the epoch was not scored by lists and network together")
        return found  # type: ignore[return-value]  # none of them is None
    if select == "hipaa_recall":
        return scored.hipaa_recall, scored.hipaa_precision, scored.safe_removed
    return scored.token_recall, scored.token_precision, scored.safe_removed


def check_criterion(select: Select, precision_floor: float, thresholds: tuple[float, float]) -> None:
    """Raise ValueError if a floor or thresholds are impossible, or if `masking_recall` has no floor.

    High thresholds mask nearly everything, so the recall of lists and network alone says nothing.
    """
    low, high = thresholds
    if not 0 <= precision_floor <= 1:
        raise ValueError(f"precision_floor: expected a number from 0 to 1, got {precision_floor}")
    if not 0 <= low <= high <= 1:
        raise ValueError(f"thresholds: expected [low, high] with 0 <= low <= high <= 1, got [{low:g}, {high:g}]")
    if select == "masking_recall" and not precision_floor:
        raise ValueError("select: masking_recall needs a precision_floor above 0")


def check_reference(held_out: Iterable[Sequence[str]], select: Select, encoding: Encoding, who: str) -> None:
    """Raise ConsumerError if a criterion needs tokens of HIPAA kinds, and the labels of held-out documents have none."""
    documents, is_hipaa = list(held_out), HipaaLabels(encoding)
    if documents and select in OF_HIPAA and not any(is_hipaa[label] for labels in documents for label in labels):
        raise ConsumerError(
            f"{who}: select: {select} needs tokens of HIPAA kinds: {len(documents)} held-out documents have none"
        )


def check_choice(best: Scores | None, epoch: int, select: Select, precision_floor: float, who: str) -> None:
    """Warn if the chosen epoch does not reach the floor. Raise ConsumerError if even this epoch labels every token as PHI.

    `best`: the scores of the chosen epoch; None without held-out documents.
    """
    if best is None or usable(best, select, precision_floor):
        return
    _, precision, removed = _measured(best, select)
    if removed >= 1:
        raise ConsumerError(f"{who}: select: {select}: every token of the held-out documents is PHI after every epoch")
    warnings.warn(
        f"{who}: no epoch reaches precision_floor {precision_floor:g}: the most precise one, {epoch}, is chosen "
        f"(precision {precision:.3f})",
        CaspipeWarning,
        stacklevel=2,
    )
