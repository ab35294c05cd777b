"""Lexical facts of words: a name, an ordinary word, a place, a medical term. Each form of a text is looked up once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Self

from ...pipeline.contract.resources import Resource, load
from ...pipeline.errors import ResourceError, nearest
from ...typesystem import FormTable
from ..lexicon import Entry, Lexicon
from ..lexicon.lexicon import case_fits
from ..lexicon.normalization import NORMAL, SEPARATOR, key_of
from ..lexicon.word_table import Lists, word_table
from .cues import HOT, HOT_SHAPE, SMALL, shape

# Bits of a form in `Words.facts`.
GIVEN, SURNAME = 1 << 0, 1 << 1
OFTEN_GIVEN, OFTEN_SURNAME = 1 << 2, 1 << 3
"""A frequent name: 0.01 % of the population of the USA of 1990 for given names, 0.005 % for surnames."""
BLOCKED = 1 << 4  # a medical term, brand, month, weekday or ordinary word that is not a name
EPONYM = 1 << 5
CITY, BIG_CITY = 1 << 6, 1 << 7
STATE, COUNTRY, DEMONYM = 1 << 8, 1 << 9, 1 << 10
UNKNOWN = 1 << 11  # in none of the lists: a rare name, a misspelling, a brand
UNSURE_PLACE = 1 << 12  # a place by that name exists, but the word usually means something else
ORGANIZATION = 1 << 13  # a pharmacy, hospital, shop or employer by that name exists
PLACES_BEGIN, ORGANIZATIONS_BEGIN, CUES_BEGIN = 1 << 14, 1 << 15, 1 << 16
"""The first word of a place, an organization, a cue of organizations (`Medical Center`) of several words."""
ORGANIZATION_CUE = 1 << 17  # `Hospital`, `Pharmacy`, `University`
MONTH = 1 << 18  # a month, a weekday or a holiday
MAKERS_BEGIN, TERMS_BEGIN = 1 << 19, 1 << 20
"""The first word of a drug manufacturer or brand, a medical term of several words: `Johnson & Johnson`, `charley horse`."""
EPONYMS_BEGIN = 1 << 22  # the first word of an eponym of several words: `Bence Jones`
TERM = 1 << 21  # a medical term, a brand, a regulator, and not a frequent name
LEVEL = 23  # `facts >> LEVEL` is `Words.level`: 0 not an English word, 1 a rare one, 2 a common one, 3 a function word
NAME = GIVEN | SURNAME
OFTEN = OFTEN_GIVEN | OFTEN_SURNAME

_NAMES_OF_LISTS = (
    "common_words stop_words given_names surnames medical months weekdays eponyms not_organizations cities us_states provinces "
    "countries us_counties holidays organizations organization_cues world_names products "
    "clinical_words"
)

_LISTED = NAME | EPONYM | CITY | STATE | COUNTRY | DEMONYM | MONTH | ORGANIZATION | ORGANIZATION_CUE
_OFTEN_GIVEN_SHARE, _OFTEN_SURNAME_SHARE = 0.01, 0.005
_MEMBERS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (EPONYM, ("eponyms",)),
    (MONTH, ("months", "weekdays", "holidays")),
    (ORGANIZATION, ("organizations",)),
    (ORGANIZATION_CUE, ("organization_cues",)),
)
_BEGINNINGS: Mapping[str, int] = {
    **dict.fromkeys(("cities", "us_states", "provinces", "countries", "us_counties"), PLACES_BEGIN),
    "organizations": ORGANIZATIONS_BEGIN,
    "organization_cues": CUES_BEGIN,
    "not_organizations": MAKERS_BEGIN,
    **dict.fromkeys(("medical", "products"), TERMS_BEGIN),
    "eponyms": EPONYMS_BEGIN,
}


_WITH_COLUMNS = tuple(
    "given_names surnames world_names common_words cities countries us_states provinces not_organizations".split()
)
"""Lists in which the columns of an entry count, not only that it is there."""
_MOST = 10_000
"""Number of combinations of lists and columns whose bits are cached."""
_TERM_LISTS = ("medical", "products", "clinical_words")
_COMPOUND_ENDS = frozenset(
    "type like soaked related negative positive sparing point shaped guided tip coated induced associated free "
    "based wire wires collar "
    "tube graft strip strips test stage grade dependent resistant sensitive containing releasing release "
    "impregnated ring needle blade "
    "clamp stitch suture scope arm assisted controlled mediated specific conditional acquired eluting bearing lined".split()
)
"""Second parts of words of medicine whose first part may be a name: `Bell-type`, `Teflon-coated`."""
_JOINT = "\x02"
_APOSTROPHES = frozenset("'’")


class Words(Resource):
    """The lists of the lexicon pack that distinguish names from words. Load it as `english`."""

    kind = "set of word lists"

    def __init__(self, lists: dict[str, Lexicon]) -> None:
        self.lists = lists

    @classmethod
    def names(cls) -> list[str]:
        return ["english"]

    @classmethod
    def load(cls, name: str) -> Self:
        """Return the lists. Raises ResourceError for any name but `english`."""
        if name not in cls.names():
            raise ResourceError(f"no {cls.kind} called {name!r}{nearest(name, cls.names())}; known names: english")
        return cls({list_name: load(Lexicon, list_name) for list_name in _NAMES_OF_LISTS.split()})

    @classmethod
    def files(cls, name: str) -> list[Path]:
        return [file for list_name in _NAMES_OF_LISTS.split() for file in Lexicon.files(list_name)]

    def __repr__(self) -> str:
        return "<Words english>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).load, ("english",)

    def look_up(self, forms: list[str]) -> None:
        """Look up the lists and marks of the forms of a document together: that takes less time than one after the other."""
        word_table().of_forms(forms)
        self.marks.fill(forms, lambda new: map(self._mark, new))

    def level(self, word: str) -> int:
        """Return 0 for no English word, 1 for a rare (`walker`), 2 for a common (`white`), 3 for a function word (`will`).

        A word that is far more often a name (`john`, `smith`) counts one level lower.
        """
        return self.facts[word] >> LEVEL

    def is_word(self, word: str) -> bool:
        """Return True if a text may contain the word itself, so that it is not a misspelled name."""
        lists = word_table().of_form[word]
        found = lists.whole & _bits("common_words", "stop_words", "medical")
        if not found & lists.cased:
            return bool(found)
        return any(name in self._listed[word] for name in ("common_words", "stop_words", "medical"))

    @cached_property
    def facts(self) -> FormTable[int]:
        """The lexical bits of a form (`GIVEN`, `BLOCKED` ...), in any case."""
        return FormTable(self._facts)

    @cached_property
    def marks(self) -> FormTable[int]:
        """The shape of a form (`shape.CAPITAL` ...), with `HOT` if a rule can begin at it.

        Forms in lower case, which are most words of a text, are looked up in few lists.
        """
        return FormTable(self._mark)

    @cached_property
    def _listed(self) -> FormTable[dict[str, Entry]]:
        """The entries of a single token, by list."""
        return FormTable(self._read, 5_000)

    def _read(self, form: str) -> dict[str, Entry]:
        key = key_of([form])
        entries = {}
        for name in self._names_of(word_table().of_form[form].whole):
            for entry in self.lists[name].entries_of_key(key):
                if case_fits(entry, [form]):
                    entries[name] = entry
                    break
        if entries and not _APOSTROPHES.isdisjoint(form):
            joined = self._listed["".join(c for c in form if c not in _APOSTROPHES)]
            for name in ("given_names", "surnames"):  # the census counts `O'Brien` as `Obrien`
                if name in joined and name in entries and joined[name].share > entries[name].share:
                    entries[name] = joined[name]
        return entries

    def longest(self, lists: str, tokens: list[str], but: str = "") -> tuple[int, Entry | None]:
        """Return the longest entry of some lists that begins with the first token, and its number of tokens.

        `lists` and `but`, kinds that are left out, are names separated by spaces. Of equals, returns that of the first list.
        """
        return self._phrases[_JOINT.join((lists, but, *tokens))]

    @cached_property
    def _phrases(self) -> FormTable[tuple[int, Entry | None]]:
        return FormTable(self._find_longest)

    def _find_longest(self, phrase: str) -> tuple[int, Entry | None]:
        lists, kinds, *tokens = phrase.split(_JOINT)
        but = kinds.split()
        best: tuple[int, Entry | None] = (0, None)
        if not tokens:
            return best
        first = word_table().of_form[tokens[0]]
        for name in lists.split():
            if not (first.whole | first.longer) & _bits(name):
                continue
            lexicon, most = self.lists[name], len(tokens) if first.longer & _bits(name) else 1
            known = lexicon.compiled.words
            size = next((i for i in range(1, most) if NORMAL[tokens[i]] not in known), most)
            for last in range(size, best[0], -1):
                entries = lexicon.entries_of_key(key_of(tokens[:last]))
                entry = next((e for e in entries if e.kind not in but and case_fits(e, tokens[:last])), None)
                if entry is not None:
                    best = last, entry
                    break
        return best

    @cached_property
    def _all(self) -> int:
        return _bits(*self.lists)

    @cached_property
    def _with_columns(self) -> int:
        return _bits(*_WITH_COLUMNS)

    @cached_property
    def _facts_of_lists(self) -> dict[tuple[int, ...], int]:
        """The lexical bits of words of letters by their lists and the columns of their entries, filled on demand."""
        return {}

    @cached_property
    def _names(self) -> dict[int, tuple[str, ...]]:
        """The lists by their bits in the word table, filled on demand."""
        return {}

    def _names_of(self, lists: int) -> tuple[str, ...]:
        """Return the names of lists given as bits."""
        names = self._names.get(lists)
        if names is None:
            names = self._names[lists] = tuple(name for name in self.lists if lists & _bits(name))
        return names

    def _mark(self, form: str) -> int:
        bits = shape(form)
        return bits | HOT if bits & HOT_SHAPE or (bits & SMALL and self._hint(form)) else bits

    def _hint(self, form: str) -> bool:
        """Return True if a rule can begin at a form in lower case: a frequent given name, an organization, a cue of one."""
        inside = word_table().of_form[form].inside
        if inside & _bits("organizations", "organization_cues"):
            return True
        return bool(inside & _bits("given_names", "world_names")) and bool(self._own_facts(form) & OFTEN_GIVEN)

    def _facts(self, form: str) -> int:
        """Return the lexical bits of a form; if no list contains it, those of the form without diacritics: `José` as `Jose`."""
        bits = self._own_facts(form)
        if bits & UNKNOWN and not form.isascii():
            decomposed = unicodedata.normalize("NFD", form)
            plain = self._own_facts("".join(c for c in decomposed if not unicodedata.combining(c)))
            if plain & (NAME | BLOCKED):
                return plain
        return bits

    def _own_facts(self, form: str) -> int:
        """Return the lexical bits of a form as it is. Words of the same lists with the same columns have the same bits."""
        lists = word_table().of_form[form]
        if not form.isalpha():
            return self._read_facts(form, lists)
        if not lists.inside:
            return UNKNOWN
        whole = lists.whole & self._all
        if whole & lists.cased:
            return self._read_facts(form, lists)
        key, columns = NORMAL[form] + SEPARATOR, []
        for name in self._names_of(whole & self._with_columns):
            number = self.lists[name].columns_of_key(key)
            if number is None:
                return self._read_facts(form, lists)
            columns.append(number)
        same_bits = (whole, lists.longer, *columns)
        facts = self._facts_of_lists.get(same_bits)
        if facts is None:
            if len(self._facts_of_lists) >= _MOST:
                self._facts_of_lists.clear()
            facts = self._facts_of_lists[same_bits] = self._read_facts(form, lists)
        return facts

    def _read_facts(self, form: str, lists: Lists) -> int:
        """Return the lexical bits of a form from its entries."""
        listed = self._listed[form]
        given, surname = listed.get("given_names"), listed.get("surnames")
        names = max(given.share if given else 0.0, surname.share if surname else 0.0)
        bits = 0
        bits |= GIVEN if given is not None else 0
        bits |= SURNAME if surname is not None else 0
        bits |= _often_names(listed)
        for bit, members in _MEMBERS:
            if any(name in listed for name in members):
                bits |= bit
        bits |= _beginnings(lists.longer) | _places(listed)
        level = _level(listed)
        if _is_term(listed, bits) or (not bits & NAME and "-" in form and self._is_compound(form)):
            bits |= TERM
        elif not bits & (NAME | EPONYM) and "-" in form and self._is_eponymous(form):
            bits |= EPONYM
        if _is_blocked(bits, level, names):
            bits |= BLOCKED
        elif not bits & _LISTED and not level:
            bits |= UNKNOWN
        return bits | level << LEVEL

    def _is_compound(self, form: str) -> bool:
        """Return True for a word of medicine with a hyphen: `Bell-type`, `Afrin-soaked`, `C-collar`, `U-stitch`."""
        first, _, rest = form.partition("-")
        last = form.rpartition("-")[2]
        if last in _COMPOUND_ENDS or (len(first) < 3 and first.isupper() and rest[:1].islower()):
            return True
        return any("products" in self._listed[part] or "clinical_words" in self._listed[part] for part in (first, last))

    def _is_eponymous(self, form: str) -> bool:
        """Return True for several eponyms in one word: `Simpson-Angus`, `Traverso-Longmire`; one may also be a name."""
        listed = [self._listed[part] for part in form.split("-") if part]
        return any("eponyms" in entries and not _often_names(entries) for entries in listed)


@cache
def _bits(*lists: str) -> int:
    """Return the bits of lists in the word table."""
    return word_table().bits(*lists)


@cache
def _beginnings(longer: int) -> int:
    """Return the bits of the lists in which an entry of several words begins with a word, given its lists in the word table."""
    bits = 0
    for name, bit in _BEGINNINGS.items():
        if longer & _bits(name):
            bits |= bit
    return bits


def _often_names(listed: Mapping[str, Entry]) -> int:
    """Return the bits of a name that is frequent in the USA or somewhere else in the world, and no everyday word."""
    given, surname, world = listed.get("given_names"), listed.get("surnames"), listed.get("world_names")
    bits = GIVEN | OFTEN_GIVEN if given is not None and given.share >= _OFTEN_GIVEN_SHARE else 0
    bits |= SURNAME | OFTEN_SURNAME if surname is not None and surname.share >= _OFTEN_SURNAME_SHARE else 0
    if world is None or "stop_words" in listed:
        return bits
    if "common_words" in listed:
        return bits | (GIVEN if world.kind != "surname" else 0) | (SURNAME if world.kind != "given" else 0)
    bits |= GIVEN | OFTEN_GIVEN if world.kind in ("given", "both") else 0
    return bits | (SURNAME | OFTEN_SURNAME if world.kind in ("surname", "both") else 0)


def _level(listed: Mapping[str, Entry]) -> int:
    if "stop_words" in listed:
        return 3
    given, surname, word = listed.get("given_names"), listed.get("surnames"), listed.get("common_words")
    often = (given is not None and given.share >= 0.05) or (surname is not None and surname.share >= 0.3)
    if word is None:
        return 1 if "medical" in listed and not often else 0
    if word.tier <= 10:
        return 2
    return (1 if often else 2) if word.tier <= 20 else (0 if often else 1)


def _places(listed: Mapping[str, Entry]) -> int:
    bits = 0
    city, country = listed.get("cities"), listed.get("countries")
    if city is not None:
        bits |= CITY | (BIG_CITY if city.population >= 100_000 else 0) | (UNSURE_PLACE if city.ambiguous else 0)
    for state in (listed.get("us_states"), listed.get("provinces")):
        if state is not None and state.kind == "name":
            bits |= STATE | (UNSURE_PLACE if state.ambiguous else 0)
    if country is not None:
        bits |= DEMONYM if country.kind == "demonym" else COUNTRY | (UNSURE_PLACE if country.ambiguous else 0)
    return bits


def _is_term(listed: Mapping[str, Entry], bits: int) -> bool:
    brand = listed.get("not_organizations")
    if brand is not None and not (brand.ambiguous and bits & OFTEN):
        return True
    return not bits & OFTEN and any(name in listed for name in _TERM_LISTS)


def _is_blocked(bits: int, level: int, names: float) -> bool:
    """Return True if no person has this name; `names` is the share of people who have it, in percent."""
    if level == 3 or bits & TERM:
        return True
    if bits & MONTH or level == 1:
        return not bits & OFTEN or level > 1  # `April`, `June` are also people
    if level == 2:
        return not bits & OFTEN or names < 0.02
    return bool(bits & DEMONYM and not bits & OFTEN)
