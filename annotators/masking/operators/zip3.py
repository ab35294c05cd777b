"""`zip3`: the first three digits of a ZIP code, as Safe Harbor allows."""

from __future__ import annotations

import re
from typing import Literal

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ..operator import Context, Fallback, Mention, Operator, Outcome

RESTRICTED = {
    "2000": "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893",
    "2010": "036 059 102 203 205 369 556 692 821 823 878 879 884 893",
    "2020": "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893",
}
"""Three-digit ZIP areas of 20,000 people or fewer, by census. 2000: the table in the guidance of the Office for Civil
Rights (2012) on 45 CFR 164.514(b)(2)(i)(B). 2010: counted from the ZIP code tabulation areas of that census, as in Microsoft's
Tools for Health Data Anonymization. 2020: the list that HRSA gave for its UDS+ reports (2024)."""

_ZIP = lazy_regex(r"\D*(\d{5})(?:[-\s]?\d{4})?\D*")


@part("zip3")
class Zip3(Operator):
    """Writes the first three digits of a US ZIP code, `000` for areas with too few people.

    Anything but five or nine digits becomes a placeholder.
    """

    census: Literal["any", "2000", "2010", "2020"] = "any"
    """Census that decides whether an area is small; `any`: one of them is enough."""
    restricted: list[str] | None = None
    """Your own table of three-digit prefixes instead, for a newer census."""

    def __post_init__(self) -> None:
        for prefix in self.restricted or ():
            if not re.fullmatch("[0-9]{3}", prefix):
                raise ValueError(f"restricted: expected three digits in quotes, got {prefix!r}")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        match = _ZIP.fullmatch(mention.text)
        if not match or not match.group(1).isascii():
            return Fallback("no US ZIP code")
        prefix = match.group(1)[:3]
        return "000" if prefix in self._small_areas else prefix

    @property
    def _small_areas(self) -> list[str]:
        if self.restricted is not None:
            return self.restricted
        tables = RESTRICTED if self.census == "any" else [self.census]
        return [prefix for census in tables for prefix in RESTRICTED[census].split()]
