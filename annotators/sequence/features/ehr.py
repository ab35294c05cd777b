"""The health record beside the note: names of the patient and the doctors, and what else it holds about the patient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, ClassVar, Literal, get_args

from ....pipeline.contract.component import part
from ....pipeline.contract.resources import load
from ....typesystem import FormTable, KnownPhi, PhiKind
from ...known_phi.age import AgeMatcher
from ...known_phi.date import DateMatcher
from ...known_phi.number import NumberMatcher
from ...known_phi.person_name import PersonName, parse_name
from ...known_phi.phrase import OnlineAddressMatcher, address_matchers, organization_matchers
from ...known_phi.searchable_text import SearchableText, compose, fold, spelling_variants
from ...lexicon.normalization import tokens_of
from ...names.words import Words as WordLists
from ..feature import TokenFeature, Words
from ..tidy import label
from .columns import Column, add, empty, listed, spread

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
_GIVEN = re.compile(r"given|first|forename|vorname", re.IGNORECASE)
_FAMILY = re.compile(r"famil|last|surname|nachname", re.IGNORECASE)
_PIECE = re.compile(r"[-'’‐‑]")

_KEYS: FormTable[str] = FormTable(lambda form: fold(compose(form)))


@part("ehr")
class HealthRecord(TokenFeature):
    """The token repeats what the health record says (`KnownPhi`). `names`, the source's four features: PATIENT_FIRST,
    PATIENT_LAST, DOCTOR_FIRST, DOCTOR_LAST; further parts, which the source's conclusion asks for, each with values of their own:
    `people` (relatives and reporters: RELATIVE_FIRST ...), `address`, `phone`, `email`, `id`, `age`, `profession`, `date`,
    `organization`. Case and diacritics do not count. Names are taken apart: `Lindqvist, Maria`, `Dr. M. van der Berg`; a name
    that is one word may be either. Notes without known PHI have no values, so no earlier component is needed.

    Example: if the record names a patient Maria Lindqvist and a doctor Ben Okafor, then in `Maria was seen by Dr. Okafor` the
    token `Maria` gives `ehr=PATIENT_FIRST` and `Okafor` `ehr=DOCTOR_LAST`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, EHR features, and §5 for the further parts.
    """

    argument: ClassVar[str] = "parts"

    parts: Part | Literal["all"] | list[Part] = field(default_factory=lambda: ["names"])
    """Parts of the record: one, several, or `all`."""
    shortest: int = 2
    """Words of names shorter than this are not looked for (code points)."""

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("parts: expected at least one")
        if self.shortest < 1:
            raise ValueError(f"shortest: expected a whole number of at least 1, got {self.shortest}")

    @property
    def _wanted(self) -> tuple[str, ...]:
        return PARTS if self.parts == "all" else listed(self.parts)

    @property
    def label(self) -> str:
        wanted = "all" if self._wanted == PARTS else "+".join(self._wanted)
        return label(self.name, "" if wanted == "names" else wanted, str(self.shortest) if self.shortest != 2 else "")

    def column(self, words: Words) -> Column:
        known = list(words.view.select(KnownPhi))
        if not known:
            return empty(words)
        column = self._others(words, known)
        single: dict[str, list[str]] = {}
        phrases: dict[tuple[str, ...], str] = {}
        for item in known:
            who = self._whose(item)
            if who:
                self._learn(item, who, single, phrases)
            elif item.kind.top is PhiKind.PROFESSION and "profession" in self._wanted:
                phrases.setdefault(tuple(_KEYS[w] for w in tokens_of(item.value)), "PROFESSION")
        keys = list(map(_KEYS.__getitem__, words.forms))
        for i, key in enumerate(keys):
            for value in single.get(key, ()):
                add(column, i, value)
        for phrase, value in phrases.items():
            for i in _runs(keys, phrase):
                for j in range(i, i + len(phrase)):
                    add(column, j, value)
        return column

    def _whose(self, item: KnownPhi) -> str:
        """Return the role of a name: PATIENT, DOCTOR, and, if wanted, RELATIVE and REPORTER; empty for all else."""
        if item.kind.top is not PhiKind.PERSON:
            return ""
        role = item.role.lower()
        name, wanted = item.kind.name, self._wanted
        if "names" in wanted and (found := _KINDS.get(name) or (_ROLES.get(role) if name == "PERSON" else "")):
            return found
        if "people" in wanted:
            return _OTHERS.get(name) or (_OTHER_ROLES.get(role, "") if name == "PERSON" else "")
        return ""

    def _learn(
        self, item: KnownPhi, who: str, single: dict[str, list[str]], phrases: dict[tuple[str, ...], str]
    ) -> None:
        """The words of a name by their folded form, and a surname of several words with the words before it."""
        name = parse_name(item.value)
        first, last = f"{who}_FIRST", f"{who}_LAST"
        for word, value in _named(name, item.provenance, first, last):
            pieces = [p for p in _PIECE.split(word) if len(p) > 2]
            for one in dict.fromkeys((word, *pieces)):
                for key in spelling_variants(compose(one)):
                    if len(key) >= self.shortest and value not in single.setdefault(key, []):
                        single[key].append(value)
        if name.whole_family:
            phrases.setdefault(tuple(_KEYS[w] for w in tokens_of(name.whole_family)), last)

    def _others(self, words: Words, known: Iterable[KnownPhi]) -> Column:
        wanted = [
            (item, value)
            for item in known
            for needed, value in [_VALUES.get(item.kind.top.name, ("", ""))]
            if needed in self._wanted
        ]
        if not wanted:
            return empty(words)
        page = SearchableText(words.view.text)
        found = [
            (hit.begin, hit.end, value, value)
            for item, value in wanted
            for matcher in _matchers(item.kind, compose(item.value))
            for hit in matcher.find(page)
        ]
        return spread(words, found)


def _named(name: PersonName, provenance: str, first: str, last: str) -> Iterator[tuple[str, str]]:
    """(word, value) of a name; a single word is what its field says, or may be either."""
    yield from ((word, first) for word in name.given)
    yield from ((word, last) for word in name.family)
    if name.either:
        given, family = _GIVEN.search(provenance), _FAMILY.search(provenance)
        if given or not family:
            yield name.either, first
        if family or not given:
            yield name.either, last


def _matchers(kind: PhiKind, value: str) -> list[Any]:
    """Return the matchers that find a fact of the record in a text."""
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


def _runs(keys: list[str], phrase: tuple[str, ...]) -> Iterator[int]:
    """Yield the indexes at which a sequence of words begins."""
    n = len(phrase)
    for i, key in enumerate(keys):
        if phrase and key == phrase[0] and tuple(keys[i : i + n]) == phrase:
            yield i
