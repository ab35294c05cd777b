"""One entry of a site list, and the letter case in which it matches."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from ...typesystem import PhiKind

Case = Literal["any", "capitals", "exact"]
"""`any` case; `capitals`: as written, or all in capitals if the entry has a capital and a small letter; `exact`: as written."""
CASES: tuple[Case, ...] = get_args(Case)


@dataclass(frozen=True, slots=True)
class Entry:
    """A word, phrase or pattern. `kind` is None for entries that are never PHI."""

    kind: PhiKind | None
    case: Case
    place: str
    """File and line: `site.yaml:7`."""
    form: str = ""
    """The letters and digits as written, without the characters between them; empty for a pattern."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that match if the case counts."""
        capitals = self.form.upper()
        mixed = self.form not in (capitals, self.form.lower())
        return (self.form, capitals) if self.case == "capitals" and mixed else (self.form,)

    def fits(self, text: str) -> bool:
        """Return whether a text with the same letters has the required case."""
        return self.case == "any" or plain_form(text) in self.forms

    def meets(self, other: Entry) -> bool:
        """Return whether some text matches both entries, which have the same letters."""
        return "any" in (self.case, other.case) or not set(self.forms).isdisjoint(other.forms)


class SiteMatch(NamedTuple):
    """An entry that matches the code points `begin:end`. Its repr never shows the text."""

    begin: int
    end: int
    entry: Entry

    @property
    def length(self) -> int:
        return self.end - self.begin

    def __repr__(self) -> str:
        return f"<SiteMatch {self.begin}:{self.end} {self.entry.place}>"


def plain_form(text: str) -> str:
    """Return the letters and digits of a text in their case, in normal form (NFKC)."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())
