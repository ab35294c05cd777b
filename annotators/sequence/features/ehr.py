"""Data of the patient's health record (names of the patient and of doctors, addresses, numbers) as features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, ClassVar, Literal, get_args

from ....pipeline.contract.component import part
from ....pipeline.contract.resources import load
from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import FormTable, KnownPhi, PhiKind
from ...known_phi.age import AgeMatcher
from ...known_phi.date import DateMatcher
from ...known_phi.number import NumberMatcher
from ...known_phi.person_name import PersonName, parse_name
from ...known_phi.phrase import OnlineAddressMatcher, address_matchers, organization_matchers
from ...known_phi.searchable_text import SearchableText, compose, fold, spelling_variants
from ...lexicon.normalization import tokens_of
from ...names.words import Words as WordLists
from ..feature import TokenFeature, Words, as_tuple, check_minimum, make_label
from .columns import Column, add, empty, spread

Part = Literal["names", "people", "address", "phone", "email", "id", "age", "profession", "date", "organization"]
PARTS: tuple[Part, ...] = get_args(Part)

_ROLES = {"patient": "PATIENT", "doctor": "DOCTOR", "physician": "DOCTOR", "nurse": "DOCTOR"}
_KINDS = {"PERSON_PATIENT": "PATIENT", "PERSON_DOCTOR": "DOCTOR"}
_OTHERS = {"PERSON_RELATIVE": "RELATIVE", "PERSON_REPORTER": "REPORTER"}
_OTHER_ROLES = {"relative": "RELATIVE", "parent": "RELATIVE", "reporter": "REPORTER", "sender": "REPORTER"}
_VALUES: dict[str, tuple[Part, str]] = {
    "LOCATION": ("address", "ADDRESS"),
    "PHONE": ("phone", "PHONE"),
    "FAX": ("phone", "PHONE"),
    "EMAIL": ("email", "EMAIL"),
    "URL": ("email", "EMAIL"),
    "ID": ("id", "ID"),
    "AGE": ("age", "AGE"),
    "DATE": ("date", "DATE"),
    "ORGANIZATION": ("organization", "ORGANIZATION"),
}
_GIVEN = lazy_regex(r"given|first|forename|vorname", re.IGNORECASE)
_FAMILY = lazy_regex(r"famil|last|surname|nachname", re.IGNORECASE)
_PIECE = lazy_regex(r"[-'’‐‑]")

_KEYS: FormTable[str] = FormTable(lambda form: fold(compose(form)))


@part("ehr")
class HealthRecord(TokenFeature):
    """The token repeats data of the health record (`KnownPhi`). `names` has the four features of the source: PATIENT_FIRST,
    PATIENT_LAST, DOCTOR_FIRST, DOCTOR_LAST. The conclusion of the source suggests the other parts, which have separate values:
    `people` (relatives and reporters: RELATIVE_FIRST ...), `address`, `phone`, `email`, `id`, `age`, `profession`, `date`,
    `organization`. Case and diacritics are ignored. Names are parsed (`Lindqvist, Maria`, `Dr. M. van der Berg`); a name of a
    single word can be a given name or a surname. Notes without known PHI have no values, so no earlier component is needed.

    Example: if the record names a patient Maria Lindqvist and a doctor Ben Okafor, then in `Maria was seen by Dr. Okafor` the
    token `Maria` gives `ehr=PATIENT_FIRST` and `Okafor` `ehr=DOCTOR_LAST`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, EHR features, and §5 for the further parts.
    """

    argument: ClassVar[str] = "parts"

    parts: Part | Literal["all"] | list[Part] = field(default_factory=lambda: ["names"])
    """Parts of the record: one, several, or `all`."""
    shortest: int = 2
    """Minimum length of the words of names, in code points; shorter words are ignored."""

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("parts: expected at least one")
        check_minimum(1, shortest=self.shortest)

    @property
    def _wanted(self) -> tuple[str, ...]:
        return PARTS if self.parts == "all" else as_tuple(self.parts)

    @property
    def label(self) -> str:
        wanted = "all" if self._wanted == PARTS else "+".join(self._wanted)
        return make_label(
            self.name, "" if wanted == "names" else wanted, str(self.shortest) if self.shortest != 2 else ""
        )

    def column(self, words: Words) -> Column:
        known = list(words.view.select(KnownPhi))
        if not known:
            return empty(words)
        column = self._matched(words, known)
        single: dict[str, list[str]] = {}
        phrases: dict[tuple[str, ...], str] = {}
        for item in known:
            role = self._role_of(item)
            if role:
                self._add_name(item, role, single, phrases)
            elif item.kind.top is PhiKind.PROFESSION and "profession" in self._wanted:
                phrases.setdefault(tuple(_KEYS[w] for w in tokens_of(item.value)), "PROFESSION")
        keys = list(map(_KEYS.__getitem__, words.forms))
        for i, key in enumerate(keys):
            for value in single.get(key, ()):
                add(column, i, value)
        for phrase, value in phrases.items():
            for i in _phrase_starts(keys, phrase):
                for j in range(i, i + len(phrase)):
                    add(column, j, value)
        return column

    def _role_of(self, item: KnownPhi) -> str:
        """Return the role of a person: PATIENT, DOCTOR and, with the part `people`, RELATIVE and REPORTER; else empty."""
        if item.kind.top is not PhiKind.PERSON:
            return ""
        role = item.role.lower()
        name, wanted = item.kind.name, self._wanted
        if "names" in wanted and (known := _KINDS.get(name) or (_ROLES.get(role) if name == "PERSON" else "")):
            return known
        if "people" in wanted:
            return _OTHERS.get(name) or (_OTHER_ROLES.get(role, "") if name == "PERSON" else "")
        return ""

    def _add_name(
        self, item: KnownPhi, role: str, single: dict[str, list[str]], phrases: dict[tuple[str, ...], str]
    ) -> None:
        """Add the words of a name to `single`, by folded form, and a surname of several words to `phrases`."""
        name = parse_name(item.value)
        first, last = f"{role}_FIRST", f"{role}_LAST"
        for word, value in _name_words(name, item.provenance, first, last):
            pieces = [p for p in _PIECE.split(word) if len(p) > 2]
            for variant in dict.fromkeys((word, *pieces)):
                for key in spelling_variants(compose(variant)):
                    if len(key) >= self.shortest and value not in single.setdefault(key, []):
                        single[key].append(value)
        if name.whole_family:
            phrases.setdefault(tuple(_KEYS[w] for w in tokens_of(name.whole_family)), last)

    def _matched(self, words: Words, known: Iterable[KnownPhi]) -> Column:
        """Return the values of addresses, numbers, dates and other data for which there is a matcher."""
        wanted = [
            (item, value)
            for item in known
            for needed, value in [_VALUES.get(item.kind.top.name, ("", ""))]
            if needed in self._wanted
        ]
        if not wanted:
            return empty(words)
        text = SearchableText(words.view.text)
        marks = [
            (hit.begin, hit.end, value, value)
            for item, value in wanted
            for matcher in _matchers(item.kind, compose(item.value))
            for hit in matcher.find(text)
        ]
        return spread(words, marks)


def _name_words(name: PersonName, provenance: str, first: str, last: str) -> Iterator[tuple[str, str]]:
    """Yield (word, value) for the words of a name. A single word has the value of its field of the record, or both values."""
    yield from ((word, first) for word in name.given)
    yield from ((word, last) for word in name.family)
    if name.either:
        given, family = _GIVEN.search(provenance), _FAMILY.search(provenance)
        if given or not family:
            yield name.either, first
        if family or not given:
            yield name.either, last


def _matchers(kind: PhiKind, value: str) -> list[Any]:
    """Return the matchers that find a value of the record in a text."""
    lists = load(WordLists, "english")
    match kind.top.name:
        case "DATE":
            return [DateMatcher(value, kind)]
        case "AGE":
            return [AgeMatcher(value, kind)]
        case "ID" | "PHONE" | "FAX":
            return [NumberMatcher(value, kind)]
        case "EMAIL" | "URL":
            return [OnlineAddressMatcher(value, kind, lists)]
        case "ORGANIZATION":
            return [*organization_matchers(value, kind, lists)]
        case _:
            return [*address_matchers(value, kind, lists)]


def _phrase_starts(keys: list[str], phrase: tuple[str, ...]) -> Iterator[int]:
    """Yield the indexes at which a phrase begins."""
    n = len(phrase)
    for i, key in enumerate(keys):
        if phrase and key == phrase[0] and tuple(keys[i : i + n]) == phrase:
            yield i
