"""Marks what the record already says about a person, wherever and however the text repeats it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import KnownPhi, PhiCandidate, PhiKind, View
from ..names.words import Words
from .age import AgeMatcher
from .date import DateMatcher
from .folding import compose, seen
from .number import NumberMatcher
from .online_address import OnlineAddressMatcher
from .person import PersonMatcher
from .person_name import parse_name
from .phrase import PhraseMatcher, address_matchers, organisation_matchers
from .searchable_text import PhiMatch, SearchableText

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
_REMEMBERED = 512


class KnownPhiMatcher(Protocol):
    """Finds one fact of the record in a document."""

    def find(self, document: SearchableText) -> Iterable[PhiMatch]: ...


@component("known_phi", outputs=[PhiCandidate])
class KnownPhiAnnotator(Annotator):
    """Marks every repetition of what the record says: the `KnownPhi` feature structures of the view.

    Names are found whole and in parts, in any case, with initials, short forms and one slip of the pen; dates, numbers,
    ages and addresses in any of their renderings. A name that is also a word (`Will`, `White`) counts only where its
    capital, a title or another part of the name speaks for it. The candidate's value is the record's own.
    """

    nicknames: bool = True
    """Look for `Bill` where the record says William."""
    shortest_fuzzy: int = 5
    """Names of at least so many letters are also found with one edit; shorter ones only where a cue stands beside them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """Which names are also ordinary words, and which words are no slips of the pen."""

    def __post_init__(self) -> None:
        if self.shortest_fuzzy < 3:
            raise ValueError(f"shortest_fuzzy: expected a whole number of at least 3, got {self.shortest_fuzzy}")

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        known = view.select(KnownPhi)
        if not known:
            return
        text, offsets = seen(view.text)
        document = SearchableText(text)
        hits: list[PhiMatch] = []
        for item in known:
            for matcher in self._matchers(item):
                hits.extend(matcher.find(document))
        for hit in _without_contained(hits):
            begin, end = _placed(view.text, offsets, hit) if offsets else (hit.begin, hit.end)
            yield PhiCandidate(begin, end, kind=hit.kind, confidence=hit.confidence, value=hit.value, rule=hit.rule)

    @cached_property
    def _made(self) -> dict[tuple[str, str], list[KnownPhiMatcher]]:
        return {}

    def _matchers(self, item: KnownPhi) -> list[KnownPhiMatcher]:
        """The matchers of one fact, kept for the narrative fields and documents of the same case."""
        kind = item.kind
        if kind is PhiKind.PERSON:
            kind = PhiKind.of(_ROLES.get(item.role.lower(), "PERSON"))
        key = (kind.name, item.value)
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            made = self._made[key] = self._compile(kind, compose(item.value))
        return made

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
                return [*organisation_matchers(value, kind, words)]
            case "EMAIL" | "URL" | "IP" | "PERSON":
                return [OnlineAddressMatcher(value, kind, words)]
            case _:
                return [PhraseMatcher(value, kind, words)]


def _placed(text: str, offsets: list[int], hit: PhiMatch) -> tuple[int, int]:
    """Begin and end of a hit in the text itself, with the diacritics of its last letter."""
    end = offsets[hit.end - 1] + 1
    while "\u0300" <= text[end : end + 1] <= "\u036f":
        end += 1
    return offsets[hit.begin], end


def _without_contained(hits: list[PhiMatch]) -> Iterator[PhiMatch]:
    """The hits in text order, less those that lie inside another of the same first-level kind."""
    hits.sort(key=_longest_first)
    reached: dict[PhiKind, int] = {}
    for hit in hits:
        if hit.end > reached.get(hit.kind.top, -1):
            reached[hit.kind.top] = hit.end
            yield hit


def _longest_first(hit: PhiMatch) -> tuple[int, int, float, str]:
    return hit.begin, -hit.end, -hit.confidence, hit.kind.name
