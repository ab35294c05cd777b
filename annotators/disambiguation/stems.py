"""Endings and roots of non-proprietary drug names: what `-dralazine` or `-pristone` says of a word that no dictionary has."""

from __future__ import annotations

from dataclasses import dataclass

from ..lexicon import Lexicon

LEFT = 2
"""Letters that a word has beside the stem, at least: `hydralazine`."""
SHORTEST = 6
"""Letters that a word has in all, at least."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem as the list has it."""

    form: str
    position: str
    """`suffix`, `prefix` or `infix`."""

    def __str__(self) -> str:
        after = "-" if self.position != "suffix" else ""
        before = "-" if self.position != "prefix" else ""
        return f"{before}{self.form}{after}"

    def fits(self, word: str) -> bool:
        """Whether a word in lower case has the stem in its place, with letters beside it."""
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
        """The longest stem of a word in lower case, None where it has none."""
        if len(word) < SHORTEST:
            return None
        for length in range(min(self._widest, len(word) - LEFT), 0, -1):
            found = self._suffixes.get(word[-length:])
            if found is not None:
                return found
        return next((stem for stem in self._stems if stem.fits(word)), None)
