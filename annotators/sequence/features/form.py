"""The form itself: as it stands, in lower case, and how long it is."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field

from ....pipeline.contract.component import part
from ..feature import FormFeature
from ..tidy import LONGEST, label, tidy


@part("token")
class TokenForm(FormFeature):
    """The form as it stands, case kept.

    Example: `Smith` gives `token=Smith`.

    Source: VigiBase de-identifier, Table 8 (target token).
    """

    def of(self, form: str) -> str:
        return tidy(form)


@part("lower")
class LowerForm(FormFeature):
    """The form in lower case.

    Example: `Smith` gives `lower=smith`.

    Source: VigiBase de-identifier, Table 8 (target token in lower case).
    """

    def of(self, form: str) -> str:
        return tidy(form[:LONGEST].lower())


@part("length")
class FormLength(FormFeature):
    """How many code points the form has, as a category.

    Example: `Smith` gives `length=5`, with `bins: [3, 6]` `length=4-6`.

    Source: VigiBase de-identifier, Table 8 (text length).
    """

    cap: int = LONGEST
    """Code points; what is longer counts as this long."""
    bins: list[int] = field(default_factory=list)
    """Upper ends of classes of length, ascending: `[1, 3, 6]` makes 1, 2-3, 4-6, 7+. Left out: every length for itself."""

    def __post_init__(self) -> None:
        if self.cap < 1:
            raise ValueError(f"cap: expected a whole number of at least 1, got {self.cap}")
        if any(b < 1 for b in self.bins) or self.bins != sorted(dict.fromkeys(self.bins)):
            raise ValueError("bins: expected ascending whole numbers of at least 1")

    @property
    def label(self) -> str:
        cap = str(self.cap) if self.cap != LONGEST and not self.bins else ""
        return label(self.name, cap, "-".join(map(str, self.bins)))

    def of(self, form: str) -> str:
        length = len(form)
        if not self.bins:
            return str(min(length, self.cap))
        place = bisect_left(self.bins, length)
        low = self.bins[place - 1] + 1 if place else 1
        if place == len(self.bins):
            return f"{low}+"
        high = self.bins[place]
        return str(high) if low == high else f"{low}-{high}"
