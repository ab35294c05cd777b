"""Marks the values that the record already contains about a person, in any of their renderings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import KnownPhi, PhiCandidate, PhiKind, View
from ..names.words import Words
from .age import AgeMatcher
from .date import DateMatcher
from .number import NumberMatcher
from .person import PersonMatcher
from .person_name import parse_name
from .phrase import OnlineAddressMatcher, PhraseMatcher, address_matchers, organization_matchers
from .searchable_text import PhiMatch, SearchableText, compose, without_invisible

_ROLES = {
    "patient": "PERSON_PATIENT",
    "parent": "PERSON_RELATIVE",
    "relative": "PERSON_RELATIVE",
    "doctor": "PERSON_DOCTOR",
    "physician": "PERSON_DOCTOR",
    "nurse": "PERSON_DOCTOR",
    "reporter": "PERSON_REPORTER",
    "sender": "PERSON_REPORTER",
}
_MAX_CACHED = 512


class KnownPhiMatcher(Protocol):
    """Finds one value of the record in a document."""

    def find(self, document: SearchableText) -> Iterable[PhiMatch]: ...


@component("known_phi", outputs=[PhiCandidate])
class KnownPhiAnnotator(Annotator):
    """Marks every repetition of the record's values: the `KnownPhi` feature structures of the view.

    Names are found in full and in parts, in any case, with initials, short forms and one typo; dates, numbers, ages and
    addresses in any of their renderings. A name that is also a word (`Will`, `White`) counts only if its capital, a title
    or another part of the name is evidence for it. The candidate's value is that of the record.
    """

    nicknames: bool = True
    """Also search for `Bill` if the record says William."""
    shortest_fuzzy: int = 5
    """Names of at least this many letters are also found with one edit; shorter ones only with a cue beside them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """Lists of words that decide which names are also ordinary words and which words are not typos."""

    def __post_init__(self) -> None:
        if self.shortest_fuzzy < 3:
            raise ValueError(f"shortest_fuzzy: expected a whole number of at least 3, got {self.shortest_fuzzy}")

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        known = view.select(KnownPhi)
        if not known:
            return
        text, offsets = without_invisible(view.text)
        document = SearchableText(text)
        matches = [match for item in known for matcher in self._matchers(item) for match in matcher.find(document)]
        for m in _without_contained(matches):
            begin, end = _original_span(view.text, offsets, m) if offsets else (m.begin, m.end)
            yield PhiCandidate(begin, end, kind=m.kind, confidence=m.confidence, value=m.value, rule=m.rule)

    @cached_property
    def _cache(self) -> dict[tuple[str, str], list[KnownPhiMatcher]]:
        return {}

    def _matchers(self, item: KnownPhi) -> list[KnownPhiMatcher]:
        """Return the matchers of one value, cached for the narrative fields and documents of the same case."""
        kind = item.kind
        if kind is PhiKind.PERSON:
            kind = PhiKind.of(_ROLES.get(item.role.lower(), "PERSON"))
        key = (kind.name, item.value)
        if key not in self._cache:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[key] = self._compile(kind, compose(item.value))
        return self._cache[key]

    def _compile(self, kind: PhiKind, value: str) -> list[KnownPhiMatcher]:
        words = self.words
        match kind.top.name:
            case "PERSON" if kind is not PhiKind.PERSON_USERNAME:
                return [PersonMatcher(parse_name(value), kind, words, self.nicknames, self.shortest_fuzzy)]
            case "DATE":
                return [DateMatcher(value, kind)]
            case "AGE":
                return [AgeMatcher(value, kind)]
            case "ID" | "PHONE" | "FAX":
                return [NumberMatcher(value, kind)]
            case "LOCATION" if kind not in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_FACILITY):
                return [*address_matchers(value, kind, words)]
            case "LOCATION" | "ORGANIZATION":
                return [*organization_matchers(value, kind, words)]
            case "EMAIL" | "URL" | "IP" | "PERSON":
                return [OnlineAddressMatcher(value, kind, words)]
            case _:
                return [PhraseMatcher(value, kind, words)]


def _original_span(text: str, offsets: list[int], match: PhiMatch) -> tuple[int, int]:
    """Return the span of a match in the text with invisible characters, including the diacritics of its last letter."""
    end = offsets[match.end - 1] + 1
    while "\u0300" <= text[end : end + 1] <= "\u036f":
        end += 1
    return offsets[match.begin], end


def _without_contained(matches: list[PhiMatch]) -> Iterator[PhiMatch]:
    """Yield the matches in text order, without those inside another of the same first-level kind."""
    matches.sort(key=lambda m: (m.begin, -m.end, -m.confidence, m.kind.name))
    reached: dict[PhiKind, int] = {}
    for match in matches:
        if match.end > reached.get(match.kind.top, -1):
            reached[match.kind.top] = match.end
            yield match
