"""Stems of non-proprietary drug names (`-dralazine`, `-pristone`), which recognize drugs that no dictionary contains."""

from __future__ import annotations

from dataclasses import dataclass

from ..lexicon import Lexicon

LEFT = 2
"""Minimum number of letters besides the stem: `hydralazine`."""
SHORTEST = 6
"""Minimum number of letters of the word."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem of the list."""

    form: str
    position: str
    """`suffix`, `prefix` or `infix`."""

    def __str__(self) -> str:
        after = "-" if self.position != "suffix" else ""
        before = "-" if self.position != "prefix" else ""
        return f"{before}{self.form}{after}"

    def fits(self, word: str) -> bool:
        """Return whether a word in lower case has the stem in its position, with letters beside it."""
        if len(word) < max(len(self.form) + LEFT, SHORTEST):
            return False
        if self.position == "infix":
            return self.form in word
        return word.startswith(self.form) if self.position == "prefix" else word.endswith(self.form)


class DrugStems:
    """The stems of a lexicon whose measured precision is high enough, the longest first.

    The lexicon has the columns `position` and `precision` (of the words that have the stem, the share that are drugs, 0 to 1).
    """

    __slots__ = ("_stems", "_suffixes", "_widest")

    def __init__(self, lexicon: Lexicon, min_precision: float) -> None:
        chosen = [
            Stem(e.form, e.columns.get("position", "suffix"))
            for e in lexicon.all_entries()
            if e.number("precision") >= min_precision
        ]
        chosen.sort(key=lambda stem: (-len(stem.form), stem.form))
        self._suffixes = {stem.form: stem for stem in chosen if stem.position == "suffix"}
        self._stems = [stem for stem in chosen if stem.position != "suffix"]
        self._widest = max(map(len, self._suffixes), default=0)

    def __len__(self) -> int:
        return len(self._suffixes) + len(self._stems)

    def of(self, word: str) -> Stem | None:
        """Return the longest stem of a word in lower case, or None."""
        if len(word) < SHORTEST:
            return None
        for length in range(min(self._widest, len(word) - LEFT), 0, -1):
            stem = self._suffixes.get(word[-length:])
            if stem is not None:
                return stem
        return next((stem for stem in self._stems if stem.fits(word)), None)
