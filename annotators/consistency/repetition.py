"""Searches the tokens of a text for repetitions of a span: in full, in part, or as initials."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from ...typesystem import PhiKind, TokenTable
from ...typesystem.text import MANY

Case = Literal["same", "capitals", "any"]

WHOLE, INITIALS = "same name", "initials of a name"
_SHORTEST_CAPITALS = 4
"""Shorter words in capitals are probably abbreviations, not names: `ART`, `LEE`."""


class Origin(NamedTuple):
    """A span to search for: tokens `first` to `last` (half-open), its kind and its confidence."""

    first: int
    last: int
    kind: PhiKind
    confidence: float


class Repeat(NamedTuple):
    """Another occurrence, in tokens; `rule` names how much of the origin it contains."""

    first: int
    last: int
    origin: Origin
    rule: str


def index_words(tokens: TokenTable) -> Mapping[str, Sequence[int]]:
    """Return the tokens of every word, by its lower case; in arrays if they are many, which take less memory."""
    if len(tokens) < MANY:
        few: dict[str, list[int]] = {}
        for i, lower in enumerate(tokens.lowers):
            few.setdefault(lower, []).append(i)
        return few
    many: defaultdict[str, array[int]] = defaultdict(partial(array, "i"))
    for i, lower in enumerate(tokens.lowers):
        many[lower].append(i)
    return dict(many)


class RepetitionSearch:
    """Searches the tokens of a document. `may_be_name(i)` returns whether token i alone may be a name."""

    def __init__(
        self,
        text: str,
        tokens: TokenTable,
        occurrences: Mapping[str, Sequence[int]],
        case: Case,
        may_be_name: Callable[[int], bool],
    ) -> None:
        self.text = text
        self.forms, self.lowers = tokens.forms, tokens.lowers
        self.begins, self.ends = tokens.begins, tokens.ends
        self.occurrences = occurrences
        self.case = case
        self.may_be_name = may_be_name

    def same_words(self, origin: Origin) -> Iterator[Repeat]:
        """Yield the occurrences of all its tokens in order, with white space (at most one line end) in the same places."""
        words, size = self.lowers[origin.first : origin.last], origin.last - origin.first
        for i in self.occurrences.get(words[0], ()):
            if i == origin.first or self.lowers[i : i + size] != words or not self._same_gaps(origin.first, i, size):
                continue
            pairs = zip(self.forms[origin.first : origin.last], self.forms[i : i + size], strict=True)
            cases_agree = all(self._case_agrees(one, other, alone=size == 1) for one, other in pairs)
            if cases_agree and (size > 1 or self.may_be_name(i)):
                yield Repeat(i, i + size, origin, WHOLE)

    def same_characters(self, origin: Origin) -> Iterator[Repeat]:
        """Yield the occurrences of exactly the same characters of a number or code."""
        words, size = self.lowers[origin.first : origin.last], origin.last - origin.first
        characters = self.text[self.begins[origin.first] : self.ends[origin.last - 1]]
        for i in self.occurrences.get(words[0], ()):
            same = self.text.startswith(characters, self.begins[i]) and self.lowers[i : i + size] == words
            if same and i != origin.first:
                yield Repeat(i, i + size, origin, "same characters")

    def parts(self, origins: Sequence[Origin]) -> Iterator[Repeat]:
        """Yield words of names that occur alone or in another order.

        Adjacent words become one span, with words of the names between them: `Garcia de la Cruz`.
        """
        owners: dict[str, tuple[str, Origin]] = {}
        for origin in origins:
            for form in self.forms[origin.first : origin.last]:
                for word in (form, *form.split("-")):
                    owners.setdefault(word.lower(), (word, origin))
        marked = {
            i
            for lower, (word, _) in owners.items()
            for i in self.occurrences.get(lower, ())
            if self._case_agrees(word, self.forms[i], alone=True) and self.may_be_name(i)
        }
        end = -1
        for i in sorted(marked):
            if i < end:
                continue
            first, following = i, i + 1
            while first > max(end, 0) and self._may_join(first - 1, owners) and self._is_adjacent(first):
                first -= 1
            end = following
            while following < len(self.forms) and self.lowers[following] in owners and self._is_adjacent(following):
                following += 1
                end = following if following - 1 in marked or self._may_join(following - 1, owners) else end
            yield Repeat(first, end, owners[self.lowers[i]][1], "part of a name")

    def initials(self, origin: Origin) -> Iterator[Repeat]:
        """Yield the initials of a name of several words, with or without full stops."""
        words = [f for f in self.forms[origin.first : origin.last] if f[:1].isupper() and len(f) > 1]
        letters = "".join(f[0] for f in words)
        if len(letters) < 2:
            return
        for i in self.occurrences.get(letters.lower(), ()):
            if self.forms[i] == letters:
                yield Repeat(i, i + 1, origin, INITIALS)
        for i in self.occurrences.get(letters[0].lower(), ()):
            last = self._dotted_initials_end(i, letters)
            if last:
                yield Repeat(i, last, origin, INITIALS)

    def _dotted_initials_end(self, first: int, letters: str) -> int:
        """Return the end of `J.S.` or `J. S.` from a token on, or 0 if there is something else."""
        i = first
        for n, letter in enumerate(letters):
            if i >= len(self.forms) or self.forms[i] != letter or (n and not self._is_adjacent(i)):
                return 0
            i += 1
            stop = i < len(self.forms) and self.forms[i] == "." and self.begins[i] == self.ends[i - 1]
            if not stop:
                return i if n and n == len(letters) - 1 else 0
            i += 1
        return i

    def _may_join(self, i: int, owners: Container[str]) -> bool:
        """Return whether token i, a word of a name with a capital, may extend a span, even if it is common: `Will Garrido`."""
        return self.lowers[i] in owners and self.forms[i][:1].isupper()

    def _case_agrees(self, one: str, other: str, alone: bool) -> bool:
        """Return whether two forms of a word agree in case. A short word in capitals alone is an abbreviation."""
        if one == other or self.case == "any":
            return True
        capitals = one if one.isupper() else other
        if self.case == "same" or not capitals.isupper() or (alone and len(capitals) < _SHORTEST_CAPITALS):
            return not alone and self.case == "capitals" and one.islower() and other.isupper()
        return one[:1].isupper() and other[:1].isupper()

    def _same_gaps(self, first: int, other: int, size: int) -> bool:
        """Return whether the gaps within two rows of tokens agree: white space or nothing in both."""
        gaps = [(self._gap(first + k), self._gap(other + k)) for k in range(1, size)]
        return all(bool(a) == bool(b) and b.count("\n") < 2 for a, b in gaps)

    def _gap(self, i: int) -> str:
        return self.text[self.ends[i - 1] : self.begins[i]]

    def _is_adjacent(self, i: int) -> bool:
        """Return whether token i is on the same line as the one before it, at most two spaces after it."""
        gap = self._gap(i)
        return len(gap) < 3 and "\n" not in gap and "\r" not in gap


def without_contained(repeats: Iterable[Repeat], is_covered: Callable[[Repeat], bool]) -> Iterator[Repeat]:
    """Yield the repeats in text order, without covered ones and those inside another of the same first-level kind."""

    def order(r: Repeat) -> tuple[int, int, bool, float, int, str]:
        return r.first, -r.last, r.rule != WHOLE, -r.origin.confidence, r.origin.first, r.rule

    reached: dict[PhiKind, int] = {}
    for r in sorted(repeats, key=order):
        top = r.origin.kind.top
        if r.last > reached.get(top, -1) and not is_covered(r):
            reached[top] = r.last
            yield r
