"""Scores of a tagger: accuracy, and precision and recall of each tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any


class TagScores:
    """Counts of (reference tag, given tag) pairs. Tokens without a reference tag are left out."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str]] = Counter()

    def add(self, gold: Sequence[str], system: Sequence[str]) -> None:
        """Add the tokens of a document. Raises ValueError if the two sequences differ in length."""
        self.pairs.update(pair for pair in zip(gold, system, strict=True) if pair[0])

    @property
    def tokens(self) -> int:
        """Tokens with a reference tag."""
        return self.pairs.total()

    @property
    def accuracy(self) -> float | None:
        """Share of tokens with the right tag; None if there are none."""
        right = sum(n for (gold, system), n in self.pairs.items() if gold == system)
        return right / self.tokens if self.tokens else None

    def by_tag(self) -> dict[str, dict[str, Any]]:
        """Return support, precision, recall and F1 of each tag of the reference, by name; None if undefined."""
        gold, system = Counter[str](), Counter[str]()
        for (g, s), n in self.pairs.items():
            gold[g] += n
            system[s] += n
        found = {}
        for tag, support in sorted(gold.items()):
            right = self.pairs[tag, tag]
            precision = right / system[tag] if system[tag] else None
            found[tag] = {
                "support": support,
                "precision": precision,
                "recall": right / support,
                "f1": 2 * right / (support + system[tag]) if system[tag] else None,
            }
        return found

    def confusions(self, n: int = 10) -> list[tuple[str, str, int]]:
        """Return the most frequent errors: reference tag, assigned tag, count."""
        wrong = [(gold, system, count) for (gold, system), count in self.pairs.items() if gold != system]
        return sorted(wrong, key=lambda row: (-row[2], row[0], row[1]))[:n]

    def row(self, corpus: str, tokenization: str, tags: bool) -> dict[str, Any]:
        """Return the scores for the description of a model, numbers rounded to 4 places; `tags`: also by tag."""
        found: dict[str, Any] = {"corpus": corpus, "tokenization": tokenization, "tokens": self.tokens}
        found["accuracy"] = round(self.accuracy or 0.0, 4)
        if tags:
            found["tags"] = {
                tag: {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
                for tag, row in self.by_tag().items()
            }
        return found
