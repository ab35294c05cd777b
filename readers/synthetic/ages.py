"""Ages of people, and the tokens of age patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Age:
    """An age in days, and the sex of the person."""

    days: int
    sex: str

    @property
    def years(self) -> int:
        return int(self.days / 365.25)

    @property
    def kind(self) -> str:
        return "AGE_OVER_89" if self.years > 89 else "AGE"

    @property
    def unit(self) -> str:
        """Return the unit of this age: years from two years on, months from two months on, weeks from two weeks on, else days."""
        if self.days >= 730:
            return "year"
        return "month" if self.days >= 61 else "week" if self.days >= 14 else "day"

    @property
    def count(self) -> int:
        return {"year": self.years, "month": int(self.days / 30.44), "week": self.days // 7, "day": self.days}[
            self.unit
        ]


def tokens(numbers: Sequence[str]) -> dict[str, Callable[[Age], str]]:
    """Return the meaning of `{N}`, `{words}`, `{Decade}`, `{F}` ...; `numbers` are the words for zero, one, two ..."""
    return {
        "N": lambda a: str(a.count),
        "words": lambda a: numbers[a.count] if a.count < len(numbers) else str(a.count),
        "Words": lambda a: (numbers[a.count] if a.count < len(numbers) else str(a.count)).capitalize(),
        "Decade": lambda a: str(a.years // 10 * 10),
        "F": lambda a: "F" if a.sex == "female" else "M",
        "f": lambda a: "f" if a.sex == "female" else "m",
        "S": lambda a: "s" if a.count != 1 else "",
        "Next": lambda a: str(a.count + 1),
        "Months": lambda a: str(int(a.days / 30.44) % 12),
    }
