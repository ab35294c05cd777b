"""Scores of an epoch on held-out documents, and the ranking of epochs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from ...pipeline.errors import ConsumerError
from ...typesystem import CaspipeWarning, counts_for_hipaa
from ..sequence.labels import OUTSIDE, Encoding, decode, parts

Select = Literal["f1", "recall", "hipaa_f1", "hipaa_recall"]
OF_HIPAA = ("hipaa_f1", "hipaa_recall")
"""Criteria that need the kinds of the reference."""


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

    def as_dict(self) -> dict[str, float]:
        return {f.name: round(getattr(self, f.name), 5) for f in fields(self)}


@dataclass(slots=True)
class _Tally:
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
    spans, phi, hipaa = _Tally(), _Tally(), _Tally()
    tokens, is_hipaa = 0, _HipaaLabels(encoding)
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


class _HipaaLabels(dict[str, bool]):
    """True for each label of a token that is of a HIPAA kind."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def __missing__(self, label: str) -> bool:
        self[label] = label != OUTSIDE and counts_for_hipaa(parts(label, self.encoding)[1])
        return self[label]


def rank(scored: Scores, select: Select, precision_floor: float) -> tuple[Any, ...]:
    """Return a sort key that is greater for better epochs.

    `f1` and `hipaa_f1`: the F1 of spans, or of tokens of HIPAA kinds. `recall` and `hipaa_recall`: the recall of tokens among the
    epochs that are `usable`; if none is, the most precise one is best, and one that masks everything the worst.
    """
    if select == "f1":
        return (scored.f1, scored.token_f1)
    if select == "hipaa_f1":
        return (scored.hipaa_f1, scored.f1)
    if usable(scored, select, precision_floor):
        return (2, scored.hipaa_recall if select == "hipaa_recall" else scored.token_recall, scored.f1)
    return (int(scored.safe_removed < 1), precision_of(scored, select), scored.f1)


def usable(scored: Scores, select: Select, precision_floor: float) -> bool:
    """Return whether an epoch may be chosen by recall: its precision reaches the floor, and some safe token stays readable.

    An epoch that masks everything has the highest recall and no use. Always true for F1, which contains the precision.
    """
    if select in ("f1", "hipaa_f1"):
        return True
    return scored.safe_removed < 1 and precision_of(scored, select) >= precision_floor


def precision_of(scored: Scores, select: Select) -> float:
    """Return the precision that is compared with the floor."""
    return scored.hipaa_precision if select == "hipaa_recall" else scored.token_precision


def check_reference(held_out: Iterable[Sequence[str]], select: Select, encoding: Encoding, who: str) -> None:
    """Raise ConsumerError if a criterion needs tokens of HIPAA kinds, and the labels of held-out documents have none."""
    documents, is_hipaa = list(held_out), _HipaaLabels(encoding)
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
    if best.safe_removed >= 1:
        raise ConsumerError(f"{who}: select: {select}: every token of the held-out documents is PHI after every epoch")
    warnings.warn(
        f"{who}: no epoch reaches precision_floor {precision_floor:g}: the most precise one, {epoch}, is chosen "
        f"(precision {precision_of(best, select):.3f})",
        CaspipeWarning,
        stacklevel=2,
    )
