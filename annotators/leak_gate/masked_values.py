"""Searches for masked values: a cheap test excludes those that cannot occur, the matchers of known PHI find the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..known_phi.age import AgeMatcher
from ..known_phi.date import DateMatcher
from ..known_phi.number import NumberMatcher
from ..known_phi.person import PersonMatcher
from ..known_phi.person_name import AFFIXES, PARTICLES, parse_name
from ..known_phi.phrase import OnlineAddressMatcher, PhraseMatcher, address_matchers, organization_matchers
from ..known_phi.searchable_text import PhiMatch, SearchableText, fold, spelling_variants
from ..names.words import Words
from .visible_text import plain
from .word_use import WordUse
from .words_in_order import WordsInOrder

_WORD = lazy_regex(r"[^\W\d_]{2,}")
_RUN = lazy_regex(r"[^\W_]+")
_DIGITS = lazy_regex(r"\d+")
_DAY = len("2020-03-04")
LARGE = 10_000
"""Length in code points from which a stricter test precedes each search, so that time stays proportional to the text."""
_WHITE_SPACE = lazy_regex(r"\s+")
_WRITTEN_OUT = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_DIGRAPH = lazy_regex("ae|oe|ue|ss")
_LETTERS_WRITTEN_OUT = lazy_regex("[äöüß]", re.IGNORECASE)
_STREET = lazy_regex(
    r"""(?P<number>\d+[a-z]?)\s+(?P<name>(?:[^\W\d_][\w'’.-]*\s+){1,3}?)
        (?:street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|way|close|crescent|cres|terrace|ter
          |square|sq|highway|hwy|parkway|pkwy|circle|cir|trail|trl|row|walk|gardens|grove|alley|mews)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_SHORT_STREET = "street without its type"
_MEASURED = lazy_regex(
    r"""[\s-]{0,3}(?:percent|per\s?cent|%|degrees?|mgs?|mcg|mls?|cc|mm|cm|kgs?|g|grams?|pounds?|lbs?|feet|inch(?:es)?|beats|bpm
        |seconds?|minutes?|hours?|days?|weeks?|months?|times|units?|dollars|(?:milli|micro|kilo|centi)\w+|thousand)\b""",
    re.VERBOSE,
)
_OLDEST_READABLE = 89
"""HIPAA, 45 CFR 164.514(b)(2)(i)(C): ages over 89 identify."""
_INITIALS = lazy_regex(r"[^\W\d_](?:[\s.-]{1,2}[^\W\d_]){1,3}\.?")


@dataclass(frozen=True, slots=True, repr=False)
class MaskedValue:
    """A masked value: its kind, its text, and the value as normalized by its finder."""

    kind: PhiKind
    text: str
    normal: str = ""

    def __repr__(self) -> str:
        return f"<MaskedValue {self.kind.name}>"


class MaskedValueFinder:
    """Finds masked values in one document. `small`: names in small letters count if they are not English words."""

    def __init__(self, document: SearchableText, words: Words, shortest: int, shortest_id: int, small: bool) -> None:
        self.document = document
        self.large = len(document.folded) > LARGE
        self.words = words
        self.shortest = shortest
        self.shortest_id = shortest_id
        self._use = WordUse(document, words, small)
        self._in_order = WordsInOrder(document, words, shortest, self.large)
        self._searched: set[str] = set()

    @cached_property
    def runs(self) -> frozenset[str]:
        """All runs of letters and digits."""
        return frozenset(_RUN.findall(self.document.folded))

    def may_contain(self, words: Iterable[str]) -> bool:
        """Return whether the text may contain one of some folded words."""
        haystack: Container[str] = self.runs if self.large else self.document.folded
        return any(word in haystack for word in words)

    @cached_property
    def digits(self) -> str:
        """All digits of the document, concatenated."""
        return "".join(digits for _, _, digits in self.document.numbers)

    @cached_property
    def years(self) -> frozenset[str]:
        """The last two digits of everything that may be a year: `1960`, `/60`, `'60`, `19600414`, `140460`."""
        return frozenset(year for year, _ in self._years())

    @cached_property
    def days(self) -> frozenset[tuple[str, int]]:
        """Possible years, each with a number beside it."""
        numbers, pairs = self.document.numbers, set[tuple[str, int]]()
        for year, index in self._years():
            digits = numbers[index][2]
            if len(digits) > 4:
                pairs.update((year, int(digits[i : i + 2])) for i in range(0, len(digits), 2))
            near = numbers[max(0, index - 2) : index + 3]
            pairs.update((year, int(beside)) for _, _, beside in near if len(beside) < 3)
        return frozenset(pairs)

    def _years(self) -> Iterator[tuple[str, int]]:
        """Yield the last two digits of possible years and their indexes among the numbers."""
        folded = self.document.folded
        for index, (begin, _, digits) in enumerate(self.document.numbers):
            size = len(digits)
            if size in (4, 6, 8):
                yield digits[-2:], index
                yield digits[:2] if size == 6 else digits[2:4], index
            elif size == 2 and begin and folded[begin - 1] in "/.-'":
                yield digits, index

    @cached_property
    def written_out(self) -> bool:
        """The document has letters that a value may write as two: `ü` as `ue`."""
        return not self.document.text.isascii() and _LETTERS_WRITTEN_OUT.search(self.document.text) is not None

    def find(self, value: MaskedValue) -> Iterator[PhiMatch]:
        """Yield every occurrence of the value."""
        text = value.text if value.text.isascii() else plain(value.text)
        search = _SEARCHES.get(value.kind.name) or _SEARCHES.get(value.kind.top.name, MaskedValueFinder.phrases)
        yield from search(self, value, text)
        if self.written_out and _DIGRAPH.search(text.lower()):
            yield from search(self, value, _DIGRAPH.sub(lambda m: _WRITTEN_OUT[m.group()], text))

    def people(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield a name and its parts, without titles and particles alone; initials only if the value is initials."""
        if any(map(str.isdigit, text)):  # a user name of another kind
            yield from self.literals(value, text)
            return
        words = [w for word in _WORD.findall(text) for w in spelling_variants(word)]
        by_parts = self.may_contain(
            w for w in words if w not in AFFIXES and w not in PARTICLES and len(w) >= self.shortest
        )
        initials = not by_parts and _INITIALS.fullmatch(text) is not None
        if not by_parts and not initials and (len(words) < 2 or not self.may_contain(words)):
            return
        name = parse_name(_WHITE_SPACE.sub(" ", text))
        yield from self._in_order.find(name.words, value.kind)
        in_full = not by_parts and not initials  # `Jo Li`: each word is too short to be searched for alone
        if in_full and not self._has_all(name.words):
            return
        if not name.words and not initials:
            return
        matcher = PersonMatcher(name, value.kind, self.words, nicknames=False, shortest_fuzzy=3)
        matcher.forms = [replace(form, fuzzy=False) for form in matcher.forms]  # as written, without typos
        if self.large:  # a rare name that many values share was found everywhere with the first of them
            matcher.forms = [form for form in matcher.forms if form.level or form.text not in self._searched]
            self._searched.update(form.text for form in matcher.forms)
        for match in matcher.find(self.document):
            if match.rule == "known initials":
                if initials:
                    yield match
            elif in_full:
                if match.rule == "known full name" and self._use.is_name(match):
                    yield match
            elif match.rule == "known full name" or (
                match.end - match.begin >= self.shortest and self._use.is_distinctive(match)
            ):
                yield match

    def _has_all(self, words: tuple[str, ...]) -> bool:
        """Return whether the text may contain a name of several words, each of which is too short alone."""
        return (
            len(words) > 1
            and sum(map(len, words)) >= self.shortest
            and all(self.may_contain(spelling_variants(word)) for word in words)
        )

    def phrases(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield a place or an organization in full, and the parts of an address."""
        runs = [w for run in _RUN.findall(text) if len(run) > 3 for w in spelling_variants(run)]
        if not self.may_contain(runs) and (runs or fold(text) not in self.document.folded):
            return
        for matcher in self._phrase_matchers(value.kind, text):
            letters = "".join(matcher.tokens)
            if len(letters) < (self.shortest_id if letters.isdigit() else self.shortest):
                continue
            for match in matcher.find(self.document):
                exact = len(matcher.tokens) > 2 and self.document.text[match.begin : match.end] == text
                name = match
                if matcher.rule == _SHORT_STREET:  # the number does not make `100 high` a street
                    name = match._replace(begin=match.begin + len(matcher.tokens[0]))
                if exact or self._use.is_distinctive(name):
                    yield match

    def _phrase_matchers(self, kind: PhiKind, text: str) -> Iterable[PhraseMatcher]:
        if kind.top is PhiKind.ORGANIZATION or kind in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC):
            return organization_matchers(text, kind, self.words)
        if kind in (PhiKind.LOCATION, PhiKind.LOCATION_STREET):
            street = _STREET.search(text)
            short = f"{street['number']} {street['name'].strip()}" if street else ""  # `12 Quellmore`, without `Street`
            shorter = [PhraseMatcher(short, PhiKind.LOCATION_STREET, self.words, _SHORT_STREET)] if short else []
            return [*address_matchers(text, kind, self.words), *shorter]
        return (PhraseMatcher(text, kind, self.words),)

    def numbers(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield a number or code with other separators, without a country code, or only its end if the rest is hidden. A code
        without digits must match exactly, since it may be a word."""
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
        for match in NumberMatcher(text, value.kind).find(self.document):
            matched = self.document.text[match.begin : match.end]
            if digits or (matched == text and not (matched.islower() and all(map(self._use.is_ordinary, runs)))):
                yield match

    def literals(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield an e-mail, web or network address, or a user name."""
        folded = fold(text.strip())
        local = folded.partition("@")[0]
        if len(folded) >= self.shortest_id and max(_RUN.findall(local), key=len, default="|") in self.document.folded:
            yield from OnlineAddressMatcher(text, value.kind, self.words).find(self.document)

    def dates(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield a date with day, month and year in any layout, and partial dates (`4 May`, `June 2001`) with the same words."""
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
        for date in dict.fromkeys((normal or text, text)):
            matcher = DateMatcher(date, value.kind)
            if not all(d.year and d.month and d.day for d in matcher.days):
                continue
            if not self.large or any((f"{d.year % 100:02d}", d.day) in self.days for d in matcher.days):
                yield from matcher.find(self.document)

    def _named_dates(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield a date without its year or day that has a number and the name of a month or weekday."""
        names = [w.lower() for w in _WORD.findall(text) if len(w) > 2]
        if not names or fold(names[0]) not in self.document.folded or not any(map(str.isdigit, text)):
            return
        for match in PhraseMatcher(text, value.kind, self.words).find(self.document):
            matched = self.document.text[match.begin : match.end]
            if matched != matched.lower() or (self.document.lower_case and self.words.level(fold(names[0])) < 2):
                yield match

    def ages(self, value: MaskedValue, text: str) -> Iterator[PhiMatch]:
        """Yield statements of an age."""
        matcher = AgeMatcher(value.normal or text, value.kind)
        if str(matcher.number) in self.digits or any(w in self.document.folded for w in matcher.words):
            yield from matcher.find(self.document)
        if matcher.number > _OLDEST_READABLE and matcher.unit == "year":
            yield from self._ages_in_words(matcher)

    def _ages_in_words(self, matcher: AgeMatcher) -> Iterator[PhiMatch]:
        """Yield an age over 89 that is written out in two words or more, unless it measures something: `ninety-four percent`."""
        folded = self.document.folded
        for words in matcher.words:
            if words.isalpha():
                continue
            for begin in self.document.word_offsets(words):
                end = begin + len(words)
                if _MEASURED.match(folded, end) is None:
                    yield PhiMatch(begin, end, matcher.kind, 0.9, "known age", matcher.value)


_SEARCHES: dict[str, Callable[[MaskedValueFinder, MaskedValue, str], Iterator[PhiMatch]]] = {
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
"""The search for a kind: its own entry, else that of its parent; all other kinds are phrases."""
