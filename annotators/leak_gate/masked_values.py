"""Looks for values that were masked: a cheap test says which of them can stand in the text, known PHI's matchers say where."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ...typesystem import PhiKind
from ..known_phi.age import AgeMatcher
from ..known_phi.annotator import KnownPhiMatcher
from ..known_phi.date import DateMatcher
from ..known_phi.folding import fold, spelling_variants
from ..known_phi.number import NumberMatcher
from ..known_phi.online_address import OnlineAddressMatcher
from ..known_phi.person import PersonMatcher
from ..known_phi.person_name import AFFIXES, PARTICLES, parse_name
from ..known_phi.phrase import PhraseMatcher, address_matchers, organization_matchers
from ..known_phi.searchable_text import PhiMatch, SearchableText
from ..names.words import Words
from .visible_text import plain

_WORD = re.compile(r"[^\W\d_]{2,}")
_RUN = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_DAY = len("2020-03-04")
LARGE = 50_000
"""Length in code points from which a closer test comes before each search, so that time stays in proportion to the text."""
_BLANKS = re.compile(r"\s+")
_WRITTEN_OUT = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_DIGRAPH = re.compile("ae|oe|ue|ss")
_LETTERS_WRITTEN_OUT = re.compile("[äöüß]", re.IGNORECASE)
_INITIALS = re.compile(r"[^\W\d_](?:[\s.-]{1,2}[^\W\d_]){1,3}\.?")


@dataclass(frozen=True, slots=True, repr=False)
class MaskedValue:
    """Something that was masked: its text, its kind, and what its finder normalised it to."""

    kind: PhiKind
    text: str
    normal: str = ""

    def __repr__(self) -> str:
        return f"<MaskedValue {self.kind.name}>"


class MaskedValueFinder:
    """One document and what tells quickly whether a value can stand in it at all."""

    def __init__(self, document: SearchableText, words: Words, shortest: int, shortest_id: int, small: bool) -> None:
        self.document = document
        self.words = words
        self.shortest = shortest
        self.shortest_id = shortest_id
        self.small = small
        """Whether names in small letters count where they are no English words."""

    @cached_property
    def large(self) -> bool:
        return len(self.document.folded) > LARGE

    @cached_property
    def runs(self) -> frozenset[str]:
        """All runs of letters and digits."""
        return frozenset(_RUN.findall(self.document.folded))

    def has(self, words: Iterable[str]) -> bool:
        """Whether one of some folded words can stand in the text."""
        there: Container[str] = self.runs if self.large else self.document.folded
        return any(word in there for word in words)

    @cached_property
    def digits(self) -> str:
        """All digits of the document in a row."""
        return "".join(digits for _, _, digits in self.document.numbers)

    @cached_property
    def years(self) -> frozenset[str]:
        """The last two digits of all that can be a year: `1960`, `/60`, `'60`, `19600414`, `140460`."""
        return frozenset(year for year, _ in self._years())

    @cached_property
    def days(self) -> frozenset[tuple[str, int]]:
        """What can be a year, with the numbers beside it."""
        numbers, found = self.document.numbers, set[tuple[str, int]]()
        for year, at in self._years():
            digits = numbers[at][2]
            if len(digits) > 4:
                found.update((year, int(digits[i : i + 2])) for i in range(0, len(digits), 2))
            found.update((year, int(beside)) for _, _, beside in numbers[max(0, at - 2) : at + 3] if len(beside) < 3)
        return frozenset(found)

    def _years(self) -> Iterator[tuple[str, int]]:
        """(last two digits, place among the numbers)."""
        folded = self.document.folded
        for at, (begin, _, digits) in enumerate(self.document.numbers):
            size = len(digits)
            if size == 4 or size == 6 or size == 8:
                yield digits[-2:], at
                yield digits[:2] if size == 6 else digits[2:4], at
            elif size == 2 and begin and folded[begin - 1] in "/.-'":
                yield digits, at

    @cached_property
    def written_out(self) -> bool:
        """Whether the document has letters that a value may write as two: `ü` as `ue`."""
        return not self.document.text.isascii() and _LETTERS_WRITTEN_OUT.search(self.document.text) is not None

    def find(self, value: MaskedValue) -> Iterator[PhiMatch]:
        """Every place of the document where the value stands."""
        text = value.text if value.text.isascii() else plain(value.text)
        look = _WAYS.get(value.kind.name) or _WAYS.get(value.kind.top.name, MaskedValueFinder.phrases)
        yield from look(self, value, text)
        if self.written_out and _DIGRAPH.search(text.lower()):
            yield from look(self, value, _DIGRAPH.sub(lambda m: _WRITTEN_OUT[m.group()], text))

    def people(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """A name and its parts. Titles and particles alone are none; initials only where the value is initials."""
        if any(map(str.isdigit, text)):  # a user name, whatever it is called
            yield from self.literals(value, text)
            return
        words = [w for word in _WORD.findall(text) for w in spelling_variants(word)]
        there = self.has(w for w in words if w not in AFFIXES and w not in PARTICLES and len(w) >= self.shortest)
        initials = not there and _INITIALS.fullmatch(text) is not None
        if not there and not initials and (len(words) < 2 or not self.has(words)):
            return
        name = parse_name(_BLANKS.sub(" ", text))
        in_full = not there and not initials  # `Jo Li`: each word is too short to be looked for alone
        if in_full and not self._has_all(name.words):
            return
        if not name.words and not initials:
            return
        matcher = PersonMatcher(name, value.kind, self.words, nicknames=False, shortest_fuzzy=3)
        matcher.forms = [replace(form, fuzzy=False) for form in matcher.forms]  # as written, no slips of the pen
        for hit in matcher.find(self.document):
            if hit.rule == "known initials":
                if initials:
                    yield hit
            elif in_full:
                if hit.rule == "known full name" and self._is_name(hit):
                    yield hit
            elif hit.rule == "known full name" or (hit.end - hit.begin >= self.shortest and self._stands_out(hit)):
                yield hit

    def _has_all(self, words: tuple[str, ...]) -> bool:
        """Whether words make up a name that can stand in the text, though none of them is long enough alone."""
        return (
            len(words) > 1
            and sum(map(len, words)) >= self.shortest
            and all(self.has(spelling_variants(word)) for word in words)
        )

    def _is_name(self, hit: PhiMatch) -> bool:
        """Whether a name of two-letter words is written as one, and not `is to`: with capitals, or in words that are no
        English ones. `IS TO` and small letters in a text without capitals need one such word."""
        text = self.document.text[hit.begin : hit.end]
        found = _WORD.findall(text)
        found = [w for w in found if fold(w) not in PARTICLES] or found
        english = [bool(self.words.level(w) or self.words.is_word(w)) for w in map(fold, found)]
        capitals = all(w[0].isupper() for w in found)
        if capitals and not text.isupper():
            return True
        if capitals or self.document.lower_case:
            return not all(english)
        return self.small and not any(english)

    def _stands_out(self, hit: PhiMatch) -> bool:
        """Whether a hit has a capital or a digit, or a word that is no English word; all do where a text has no capitals."""
        text = self.document.text[hit.begin : hit.end]
        if self.document.lower_case or text != text.lower() or any(map(str.isdigit, text)):
            return True
        return self.small and any(not self.words.level(w) and not self.words.is_word(w) for w in _WORD.findall(text))

    def phrases(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """A place, an organisation: in full, and the parts of an address."""
        runs = [w for run in _RUN.findall(text) if len(run) > 3 for w in spelling_variants(run)]
        if not self.has(runs) and (runs or fold(text) not in self.document.folded):
            return
        for matcher in self._places(value.kind, text):
            tokens = getattr(matcher, "tokens", ())
            letters = "".join(tokens)
            if len(letters) < (self.shortest_id if letters.isdigit() else self.shortest):
                continue
            for hit in matcher.find(self.document):
                if self._stands_out(hit) or (len(tokens) > 2 and self.document.text[hit.begin : hit.end] == text):
                    yield hit

    def _places(self, kind: PhiKind, text: str) -> Iterable[KnownPhiMatcher]:
        if kind.top is PhiKind.ORGANIZATION or kind in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC):
            return organization_matchers(text, kind, self.words)
        if kind in (PhiKind.LOCATION, PhiKind.LOCATION_STREET):
            return address_matchers(text, kind, self.words)
        return (PhraseMatcher(text, kind, self.words),)

    def numbers(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """A number or code, with other separators, without a country code, or its end where the rest is hidden; a code without
        digits only letter for letter, since it may be a word."""
        folded = fold(text)
        runs = _RUN.findall(folded)
        if sum(map(len, runs)) < self.shortest_id:
            return
        digits = "".join(_DIGITS.findall(folded))
        if len(digits) == sum(map(len, runs)):
            if digits[-7 if self.large else -4 :] not in self.digits:
                return
        elif max(runs, key=len) not in self.document.folded:
            return
        for hit in NumberMatcher(text, value.kind).find(self.document):
            if digits or self.document.text[hit.begin : hit.end] == text:
                yield hit

    def literals(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """An e-mail, web or network address, a user name."""
        folded = fold(text.strip())
        local = folded.partition("@")[0]
        if len(folded) >= self.shortest_id and max(_RUN.findall(local), key=len, default="|") in self.document.folded:
            yield from OnlineAddressMatcher(text, value.kind, self.words).find(self.document)

    def dates(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """A date of which day, month and year are known, in any rendering; `4 May` and `June 2001` with the same words."""
        normal = value.normal
        if normal:
            in_full = len(normal) == _DAY and normal[:4].isdecimal()
            years = [normal[2:4]]
        else:
            numbers = _DIGITS.findall(text)
            in_full = len(numbers) > 2 or max(map(len, numbers), default=0) > 3
            years = [n[-2:] for n in numbers if len(n) in (2, 4)]
        if not in_full:
            yield from self._named_dates(value, text)
        if not in_full or self.years.isdisjoint(years):
            return
        for meant in dict.fromkeys((normal or text, text)):
            matcher = DateMatcher(meant, value.kind)
            if not all(d.year and d.month and d.day for d in matcher.days):
                continue
            if not self.large or any((f"{d.year % 100:02d}", d.day) in self.days for d in matcher.days):
                yield from matcher.find(self.document)

    def _named_dates(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """A date without its year or day, where it has a figure and a name: the month's, the weekday's."""
        names = [w.lower() for w in _WORD.findall(text) if len(w) > 2]
        if not names or fold(names[0]) not in self.document.folded or not any(map(str.isdigit, text)):
            return
        for hit in PhraseMatcher(text, value.kind, self.words).find(self.document):
            found = self.document.text[hit.begin : hit.end]
            if found != found.lower() or (self.document.lower_case and self.words.level(fold(names[0])) < 2):
                yield hit

    def ages(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """An age where the text speaks of ages."""
        matcher = AgeMatcher(value.normal or text, value.kind)
        if str(matcher.number) in self.digits or any(w in self.document.folded for w in matcher.words):
            yield from matcher.find(self.document)


_WAYS: dict[str, Callable[[MaskedValueFinder, MaskedValue, str], Iterator[PhiMatch]]] = {
    "PERSON": MaskedValueFinder.people,
    "PERSON_USERNAME": MaskedValueFinder.literals,
    "LOCATION_COORDINATES": MaskedValueFinder.literals,
    "ID": MaskedValueFinder.numbers,
    "PHONE": MaskedValueFinder.numbers,
    "FAX": MaskedValueFinder.numbers,
    "EMAIL": MaskedValueFinder.literals,
    "URL": MaskedValueFinder.literals,
    "IP": MaskedValueFinder.literals,
    "DATE": MaskedValueFinder.dates,
    "AGE": MaskedValueFinder.ages,
}
"""How a kind is looked for: its own entry, else its parent's; all others are phrases."""
