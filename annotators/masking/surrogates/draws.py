"""Draws surrogates by the key, and never one that occurs among the masked values of the document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ....typesystem import KnownPhi, PhiKind, RecordField
from ..operator import Context, KeyedHash

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_SHORTEST = 3
"""Shorter words are parts of other words by chance."""
_SHORTEST_VALUE = 5
"""Shorter numbers and codes are equal by chance."""
_ATTEMPTS = 400


class Draws:
    """Keyed draws for one document: the same for equal parts, and another one if the drawn value was masked in this document."""

    def __init__(self, choices: KeyedHash, context: Context) -> None:
        self.choices = choices
        self._words: set[str] = set()
        self._values: set[str] = set()
        self._taken: dict[str, str] = {}
        for value in _masked_values(context):
            words = words_of(value)
            self._words.update(word for word in words if len(word) >= _SHORTEST)
            joined = "".join(c for c in value.casefold() if c.isalnum())
            if len(joined) >= _SHORTEST_VALUE:
                self._values.add(joined)

    def pick(self, pool: Sequence[str], owner: str, *what: str) -> str | None:
        """Return an entry of the pool that no other owner has and that contains no masked word; None if there is none.

        `owner` names what is replaced: two owners never get the same surrogate as long as the pool lasts.
        """
        for attempt in range(_ATTEMPTS if pool else 0):
            entry = self.choices.choice(pool, owner, *what, str(attempt))
            if self.allows(entry) and self._taken.get(entry.casefold(), owner) == owner:
                self._taken.setdefault(entry.casefold(), owner)
                return entry
        return next((entry for entry in pool if self.allows(entry)), None)

    def retry(self, make: Callable[[KeyedHash], str | None]) -> str | None:
        """Return the first result of `make`, for another hash at every attempt, that neither is nor contains a masked value."""
        for attempt in range(20):
            made = make(self.choices.bound("again", str(attempt)) if attempt else self.choices)
            if made is None or not self._is_value(made):
                return made
        return None

    def allows(self, entry: str) -> bool:
        """Return whether none of the words of an entry is a word of a masked value."""
        return not self._words.intersection(words_of(entry))

    def _is_value(self, made: str) -> bool:
        joined = "".join(c for c in made.casefold() if c.isalnum())
        return any(value in joined for value in self._values)


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded, without a possessive `'s`; of a word with a hyphen, its parts."""
    return [re.sub(r"['’]s$", "", word.casefold()) for word in _WORD.findall(text)]


def _masked_values(context: Context) -> Iterator[str]:
    yield from (mention.text for mention in context.mentions if mention.kind.top is not PhiKind.AGE)
    yield from (known.value for known in context.cas.view().select(KnownPhi))
    yield from (item.value for item in context.cas.view().select(RecordField))
