"""Where else the words of something found stand in a text: whole, in part, or as initials. Works on tokens alone."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from ...typesystem import PhiKind, TokenTable

Case = Literal["same", "capitals", "any"]

WHOLE, INITIALS = "same name", "initials of a name"
_LONG_SHOUT = 4
"""Shorter words in capitals are abbreviations sooner than names: `ART`, `LEE`."""


class Origin(NamedTuple):
    """What was found: tokens `first` to `last` (half-open), its kind and how sure it is."""

    first: int
    last: int
    kind: PhiKind
    confidence: float


class Repeat(NamedTuple):
    """Another place of it, in tokens; `how` says how much of it stands there."""

    first: int
    last: int
    origin: Origin
    how: str


class Repetition:
    """The tokens of a document, searched for repetitions.

    `spreads(i, case)` says whether one word alone may be taken for a name at token i.
    """

    def __init__(self, text: str, tokens: TokenTable, case: Case, spreads: Callable[[int], bool]) -> None:
        self.text = text
        self.forms, self.lowers = tokens.forms, tokens.lowers
        self.begins, self.ends = tokens.begins, tokens.ends
        self.case = case
        self.spreads = spreads
        self.at: dict[str, list[int]] = {}
        for i, low in enumerate(self.lowers):
            self.at.setdefault(low, []).append(i)

    def whole(self, origin: Origin) -> Iterator[Repeat]:
        """The places where all its tokens stand in a row, with blanks (or one line end) where it has blanks."""
        wanted, size = self.lowers[origin.first : origin.last], origin.last - origin.first
        for i in self.at.get(wanted[0], ()):
            if i == origin.first or self.lowers[i : i + size] != wanted or not self._alike(origin.first, i, size):
                continue
            words = zip(self.forms[origin.first : origin.last], self.forms[i : i + size], strict=True)
            if all(self._fits(one, other, alone=size == 1) for one, other in words) and (size > 1 or self.spreads(i)):
                yield Repeat(i, i + size, origin, WHOLE)

    def exactly(self, origin: Origin) -> Iterator[Repeat]:
        """The places where the very same characters stand: of a number or code."""
        wanted, size = self.lowers[origin.first : origin.last], origin.last - origin.first
        characters = self.text[self.begins[origin.first] : self.ends[origin.last - 1]]
        for i in self.at.get(wanted[0], ()):
            if i != origin.first and self.text.startswith(characters, self.begins[i]):
                last = i + size
                if self.lowers[i:last] == wanted:
                    yield Repeat(i, last, origin, "same characters")

    def parts(self, origins: Sequence[Origin]) -> Iterator[Repeat]:
        """The places where words of names stand alone or in another order. Words beside one another make one span, with what
        lies between them where that is from the names too: `Garcia de la Cruz`."""
        owners: dict[str, tuple[str, Origin]] = {}
        for origin in origins:
            for form in self.forms[origin.first : origin.last]:
                for word in (form, *form.split("-")):
                    owners.setdefault(word.lower(), (word, origin))
        marked = {
            i
            for low, (word, _) in owners.items()
            for i in self.at.get(low, ())
            if self._fits(word, self.forms[i], alone=True) and self.spreads(i)
        }
        reached = -1
        for i in sorted(marked):
            if i < reached:
                continue
            first, at = i, i + 1
            while first > max(reached, 0) and self._goes_with(first - 1, owners) and self._beside(first):
                first -= 1
            reached = at
            while at < len(self.forms) and self.lowers[at] in owners and self._beside(at):
                at += 1
                reached = at if at - 1 in marked or self._goes_with(at - 1, owners) else reached
            yield Repeat(first, reached, owners[self.lowers[i]][1], "part of a name")

    def _goes_with(self, i: int, owners: Container[str]) -> bool:
        """Whether token i, a word of a name with a capital, may stand beside another one, however common: `Will Garrido`."""
        return self.lowers[i] in owners and self.forms[i][:1].isupper()

    def initials(self, origin: Origin) -> Iterator[Repeat]:
        """The places of the initials of a name of several words, with or without full stops."""
        words = [f for f in self.forms[origin.first : origin.last] if f[:1].isupper() and len(f) > 1]
        letters = "".join(f[0] for f in words)
        if len(letters) < 2:
            return
        for i in self.at.get(letters.lower(), ()):
            if self.forms[i] == letters:
                yield Repeat(i, i + 1, origin, INITIALS)
        for i in self.at.get(letters[0].lower(), ()):
            last = self._spelt(i, letters)
            if last:
                yield Repeat(i, last, origin, INITIALS)

    def _spelt(self, i: int, letters: str) -> int:
        """The end of `J.S.` or `J. S.` from token i on, 0 where something else stands there."""
        at = i
        for n, letter in enumerate(letters):
            if at >= len(self.forms) or self.forms[at] != letter or (n and not self._beside(at)):
                return 0
            at += 1
            stop = at < len(self.forms) and self.forms[at] == "." and self.begins[at] == self.ends[at - 1]
            if not stop:
                return at if n and n == len(letters) - 1 else 0
            at += 1
        return at

    def _fits(self, one: str, other: str, alone: bool) -> bool:
        """Whether two forms of a word agree in case. A short word in capitals that stands alone is an abbreviation."""
        if one == other or self.case == "any":
            return True
        shouted = one if one.isupper() else other
        if self.case == "same" or not shouted.isupper() or (alone and len(shouted) < _LONG_SHOUT):
            return not alone and self.case == "capitals" and one.islower() and other.isupper()
        return one[:1].isupper() and other[:1].isupper()

    def _alike(self, first: int, other: int, size: int) -> bool:
        """Whether the gaps within two rows of tokens are alike: blanks for blanks, nothing for nothing."""
        return all(bool(self._gap(first + k)) == bool(self._gap(other + k)) for k in range(1, size)) and all(
            self._gap(other + k).count("\n") < 2 for k in range(1, size)
        )

    def _gap(self, i: int) -> str:
        return self.text[self.ends[i - 1] : self.begins[i]]

    def _beside(self, i: int) -> bool:
        """Whether token i stands in the same line as the one before it, at most two blanks behind it."""
        gap = self._gap(i)
        return len(gap) < 3 and "\n" not in gap and "\r" not in gap


def uncovered(repeats: Iterable[Repeat], taken: Callable[[Repeat], bool]) -> Iterator[Repeat]:
    """The repeats in text order, less those taken and those inside another of the same first-level kind."""
    reached: dict[PhiKind, int] = {}
    for r in sorted(repeats, key=_order):
        top = r.origin.kind.top
        if r.last > reached.get(top, -1) and not taken(r):
            reached[top] = r.last
            yield r


def _order(r: Repeat) -> tuple[int, int, bool, float, int, str]:
    return r.first, -r.last, r.how != WHOLE, -r.origin.confidence, r.origin.first, r.how
