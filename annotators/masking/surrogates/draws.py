"""Draws surrogates by the key, and never one that occurs among the masked values of the document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import KnownPhi, PhiKind, RecordField
from ..operator import Context, KeyedHash

_WORD = lazy_regex(r"[^\W_]+(?:['’][^\W\d_]+)*")
_SHORTEST = 3
"""Shorter words are parts of other words by chance."""
_SHORTEST_VALUE = 5
"""Shorter numbers and codes are equal by chance."""
_ATTEMPTS = 400
"""Entries that are tried before two owners may share one; many names exhaust a small pool."""
_STEP = 7919
"""Distance between entries that are tried after each other: a prime, so that they are not neighbors in the alphabet."""


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
        self._lengths = sorted({len(value) for value in self._values})

    def pick(self, pool: Sequence[str], owner: str, *what: str) -> str | None:
        """Return an entry of the pool that no other owner has and that contains no masked word; None if there is none.

        `owner` names what is replaced: two owners never get the same surrogate as long as the pool lasts.
        """
        count = len(pool)
        first = self.choices.number(count, owner, *what) if count else 0
        for attempt in range(min(_ATTEMPTS, count)):
            entry = pool[(first + attempt * _STEP) % count]
            if self._taken.get(entry.casefold(), owner) == owner and self.allows(entry):
                self._taken.setdefault(entry.casefold(), owner)
                return entry
        entries = (pool[(first + attempt) % count] for attempt in range(count))
        return next((entry for entry in entries if self.allows(entry)), None)

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
        ends = ((begin, begin + length) for length in self._lengths for begin in range(len(joined) - length + 1))
        return any(joined[begin:end] in self._values for begin, end in ends)


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded, without a possessive `'s`; of a word with a hyphen, its parts."""
    return [re.sub(r"['’]s$", "", word.casefold()) for word in _WORD.findall(text)]


def _masked_values(context: Context) -> Iterator[str]:
    yield from (mention.text for mention in context.mentions if mention.kind.top is not PhiKind.AGE)
    yield from (known.value for known in context.cas.view().select(KnownPhi))
    yield from (item.value for item in context.cas.view().select(RecordField))
