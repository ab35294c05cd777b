"""`age`: ages above a threshold are masked, others stay readable."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..age_reading import read_age, years_of
from ..operator import KEPT, Context, Fallback, Mention, Operator, Outcome


@part("age")
class Age(Operator):
    """Writes `[AGE > 89]` for ages above the threshold and leaves others as they are; text without a number becomes a
    placeholder. Digits and number words count, each in years unless a month, week or day follows; of several
    numbers the greatest decides, and of a decade (`in her 80s`) its last year.
    """

    threshold: int = 89
    """The greatest age that stays readable, in years."""
    format: str = "[AGE > {threshold}]"
    """Replacement for an age above the threshold."""

    def __post_init__(self) -> None:
        if self.threshold < 0:
            raise ValueError(f"threshold: expected 0 or more, got {self.threshold}")
        try:
            _ = self._above
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError("format: expected text, in which {threshold} is the place of the threshold") from None

    def mask(self, mention: Mention, context: Context) -> Outcome:
        over = mention.kind is PhiKind.AGE_OVER_89 and self.threshold <= 89
        years = years_of(mention.text)
        if years is None:
            return self._above if over and mention.value else Fallback("no number in the age")
        if over or max(years, years_of(mention.value) or 0) > self.threshold:  # the finder reads `three score and ten`
            return self._above
        return KEPT

    def normalize(self, mention: Mention, context: Context) -> str:
        age = read_age(mention.text)
        return "" if age is None else f"{age.number:g} {age.unit}s"

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        years = years_of(value)
        over = kind is PhiKind.AGE_OVER_89 and self.threshold <= 89
        return None if years is None or years > self.threshold or over else value

    @property
    def _above(self) -> str:
        return self.format.format(threshold=self.threshold)
