"""The form itself: unchanged, in lower case, and its length."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from functools import cached_property

from ....pipeline.contract.component import part
from ..feature import MAX_LENGTH, PlainFormFeature, check_minimum, make_label, normalize


@part("token")
class TokenForm(PlainFormFeature):
    """The form, with its case.

    Example: `Smith` gives `token=Smith`.

    Source: VigiBase de-identifier, Table 8 (target token).
    """

    def of(self, form: str) -> str:
        return normalize(form)

    def of_plain(self, forms: list[str]) -> list[str]:
        return forms


@part("lower")
class LowerForm(PlainFormFeature):
    """The form in lower case.

    Example: `Smith` gives `lower=smith`.

    Source: VigiBase de-identifier, Table 8 (target token in lower case).
    """

    def of(self, form: str) -> str:
        return normalize(form[:MAX_LENGTH].lower())

    def of_plain(self, forms: list[str]) -> list[str]:
        return [form.lower() for form in forms]


@part("length")
class FormLength(PlainFormFeature):
    """The length of the form in code points, as a category.

    Example: `Smith` gives `length=5`, with `bins: [3, 6]` `length=4-6`.

    Source: VigiBase de-identifier, Table 8 (text length).
    """

    cap: int = MAX_LENGTH
    """Maximum length that is distinguished; greater lengths have the same value."""
    bins: list[int] = field(default_factory=list)
    """Upper limits of intervals, ascending: `[1, 3, 6]` means 1, 2-3, 4-6, 7+. Default: one value for each length."""

    def __post_init__(self) -> None:
        check_minimum(1, cap=self.cap)
        if any(b < 1 for b in self.bins) or self.bins != sorted(dict.fromkeys(self.bins)):
            raise ValueError("bins: expected ascending whole numbers of at least 1")

    @property
    def label(self) -> str:
        cap = str(self.cap) if self.cap != MAX_LENGTH and not self.bins else ""
        return make_label(self.name, cap, "-".join(map(str, self.bins)))

    def of(self, form: str) -> str:
        return self._by_length(len(form))

    def of_plain(self, forms: list[str]) -> list[str]:
        of_lengths = self._of_lengths
        return [of_lengths[len(form)] for form in forms]

    @cached_property
    def _of_lengths(self) -> list[str]:
        """The values of plain forms by their length."""
        return [self._by_length(length) for length in range(MAX_LENGTH + 1)]

    def _by_length(self, length: int) -> str:
        if not self.bins:
            return str(min(length, self.cap))
        number = bisect_left(self.bins, length)
        low = self.bins[number - 1] + 1 if number else 1
        if number == len(self.bins):
            return f"{low}+"
        high = self.bins[number]
        return str(high) if low == high else f"{low}-{high}"
