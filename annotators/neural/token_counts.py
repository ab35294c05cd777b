"""Counts of held-out tokens as PHI or not after an epoch: the curves of a training (Anonimatik, §4.3, Fig. 4.2 to 4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from ..sequence.labels import OUTSIDE


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Numbers of tokens as PHI or not, regardless of kind."""

    true_positives: int = 0
    """Tokens that are PHI and are marked."""
    false_positives: int = 0
    """Tokens that are not PHI and are marked."""
    true_negatives: int = 0
    """Tokens that are not PHI and are not marked."""
    false_negatives: int = 0
    """Tokens that are PHI and are not marked."""

    @property
    def accuracy(self) -> float:
        """Share of the tokens that are classified correctly (0 to 1); 0 without tokens."""
        right, wrong = self.true_positives + self.true_negatives, self.false_positives + self.false_negatives
        return right / (right + wrong) if right + wrong else 0.0

    @property
    def true_negative_rate(self) -> float:
        """Share of the tokens that are not PHI and are not marked (0 to 1); 0 without such tokens."""
        outside = self.true_negatives + self.false_positives
        return self.true_negatives / outside if outside else 0.0

    def as_dict(self) -> dict[str, float]:
        """Return the entries of an epoch in the history of a training. The true positive rate is its `token_recall`."""
        shares = {"token_accuracy": self.accuracy, "true_negative_rate": self.true_negative_rate}
        return {name: round(value, 5) for name, value in shares.items()} | asdict(self)


def count_tokens(documents: Iterable[tuple[Sequence[str], Sequence[str]]]) -> TokenCounts:
    """Return the counts of documents, each as (gold labels, system labels)."""
    counts = [[0, 0], [0, 0]]
    for gold, system in documents:
        for x, y in zip(gold, system, strict=True):
            counts[x != OUTSIDE][y != OUTSIDE] += 1
    (true_negatives, false_positives), (false_negatives, true_positives) = counts
    return TokenCounts(true_positives, false_positives, true_negatives, false_negatives)
