"""The contents of a risk report: settings, shares with their intervals, leaks by kind, and what to expect of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...pipeline.errors import ConsumerError
from .bootstrap import check

By = Literal["direct", "indirect", "either"]
Unit = Literal["document", "patient"]
CLASSES: tuple[By, ...] = ("direct", "indirect", "either")
SCORED = "scored documents"
"""Name of the corpus with the reference."""


@dataclass(frozen=True, slots=True)
class RiskSettings:
    """Definition of risk. Raises ConsumerError for a number out of range."""

    at_least: int = 2
    """Number of different indirect identifiers that must leak from a document; one direct identifier is enough."""
    hidden: Mapping[str, float] = field(default_factory=dict)
    """By kind, the share of leaks that cannot be distinguished from the surrogates around them; a first-level kind includes
    those below it, the empty name all others."""
    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        check(self.draws, self.level)
        if not 1 <= self.at_least <= 20:
            raise ConsumerError(f"expected 1 to 20 indirect identifiers that must leak, got {self.at_least}")
        for kind, share in self.hidden.items():
            if not 0 <= share < 1:
                raise ConsumerError(
                    f"expected a share of hidden leaks from 0 to below 1{kind and f' for {kind}'}, got {share:g}"
                )

    def noticed(self, kind: str) -> float:
        """Return the share of leaks of a kind that are recognized among surrogates."""
        top = kind.partition("_")[0]
        return 1 - self.hidden.get(kind, self.hidden.get(top, self.hidden.get("", 0.0)))


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval. None is unknown, which is not 0."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    at_most: float | None = None
    """The same if all identifiers leak whose kind is not in the reference; None if there are none."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """Number of documents with identifiers of a class, and of those that leak enough of them."""

    holding: int
    leaking: int
    share: Share
    """Of all documents. With `hidden`, of those in which enough leaks are recognized among surrogates."""


@dataclass(frozen=True, slots=True)
class KindLeaks:
    """One kind in the scored documents."""

    kind: str
    direct: bool
    documents: int
    """Documents that contain it."""
    values: int
    """Identifiers: different texts of the kind, document by document."""
    leaked: int
    unseen: int
    """Those without any mention that was found."""
    recall: Share
    leak: float
    """Leak probability in the model: (leaked + 1/2) / (identifiers + 1)."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectation of the model for a corpus."""

    name: str
    documents: int
    found: Mapping[str, tuple[int, int]]
    """By kind: documents that contain it, identifiers."""
    shares: Mapping[By, Share]
    unknown: Mapping[str, int]
    """Kinds that are not in the reference: number of documents that contain them."""
    assumed: list[str]
    """Kinds that the system hardly finds, assumed to be as frequent as in the scored documents."""


@dataclass(frozen=True, slots=True)
class Risk:
    """The contents of a risk report."""

    settings: RiskSettings
    unit: Unit
    documents: int
    """Number of scored documents, or of patients."""
    kinds: list[KindLeaks]
    clustering: float
    """Design effect: 1 if identifiers leak independently."""
    observed: Mapping[By, Leaks]
    expected: list[Expected]
    """First the scored corpus itself, then others."""
    absent: list[str]
    """Direct first-level kinds that are not in the reference: nothing is known of them."""
