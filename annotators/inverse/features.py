"""The fifteen features of a token as bits, and the features for each verdict."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal, get_args

Feature = Literal[
    "is-possibly-city", "has-capital-beginning", "is-sentence-beginning", "is-possibly-name", "is-common-word", "is-digit",
    "contains-digit", "is-medical-term", "is-weekday", "is-month", "is-top-level-domain", "is-street", "is-holiday",
    "is-single-letter", "is-written-out-number",
]  # fmt: skip

FEATURES: tuple[Feature, ...] = get_args(Feature)
"""The features of §4.3.3 of the inverse hybrid system, in order; the index is the number of the bit."""

NEVER_SAFE: tuple[Feature, ...] = ("is-weekday", "is-month", "is-street", "is-holiday", "is-written-out-number")
"""Features that always mask a token, regardless of its score: "they appear to always be PHI" (§4.3.5)."""

UNSAFE: tuple[Feature, ...] = (
    "is-possibly-city", "is-possibly-name", "is-digit", "contains-digit", "is-weekday", "is-month", "is-top-level-domain",
    "is-street", "is-holiday", "is-written-out-number",
)  # fmt: skip
"""Features of words in one of the lists of unsafe words (§4.3.3)."""

SAFE: tuple[Feature, ...] = ("is-common-word", "is-medical-term")
"""Features of words in one of the lists of safe words (§4.3.3)."""

BIT: dict[str, int] = {name: 1 << rank for rank, name in enumerate(FEATURES)}


def mask_of(names: Iterable[str]) -> int:
    """Return the features as a bit mask."""
    return sum(BIT[name] for name in set(names))


@cache
def names_of(mask: int) -> str:
    """Return the names of the features in a mask, in the source's order, separated by spaces."""
    return " ".join(name for name in FEATURES if mask & BIT[name])
