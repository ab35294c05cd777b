"""How ordinary a name is as a word: what decides whether its bare appearance already counts as the person."""

from __future__ import annotations

from dataclasses import dataclass

from ..lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Words:
    """The lists that tell names from words."""

    common: Lexicon
    stop: Lexicon
    given: Lexicon
    surnames: Lexicon
    medical: Lexicon

    def level(self, word: str) -> int:
        """0 for no English word, 1 for a rarer one (`walker`), 2 for a common one (`white`), 3 for a function word (`will`).

        A word that is far more often a name (`john`, `smith`) counts one level lower.
        """
        if self.stop.has(word):
            return 3
        entry = self.common.entry(word)
        if entry is None:
            return 1 if self.medical.has(word) else 0
        if entry.tier <= 10:
            return 2
        often = self.is_name(word)
        if entry.tier <= 20:
            return 1 if often else 2
        return 0 if often else 1

    def is_name(self, word: str) -> bool:
        """Whether many people bear it: a given name of 0.05 % or a surname of 0.3 % of the US population of 1990."""
        given, surname = self.given.entry(word), self.surnames.entry(word)
        return (given is not None and given.share >= 0.05) or (surname is not None and surname.share >= 0.3)

    def is_word(self, word: str) -> bool:
        """Whether a text may hold it for its own sake, so that it is no slip of the pen for a name."""
        return self.common.has(word) or self.stop.has(word) or self.medical.has(word)
