"""What a word can be: a name, an ordinary word, a place, a medical term. One look-up for each form of a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from ...pipeline.contract.resources import Resource, load
from ...pipeline.errors import ResourceError, nearest
from ...typesystem import FormTable
from ..lexicon import Entry, Lexicon
from ..lexicon.lexicon import case_fits
from ..lexicon.normalization import NORMAL, key_of
from .shape import HOT, HOT_SHAPE, SMALL, shape

# What `Words.facts` says of a form, one bit each.
GIVEN, SURNAME = 1, 2
OFTEN_GIVEN, OFTEN_SURNAME = 4, 8
"""A name of many people: 0.01 % of the population of the USA of 1990 for given names, 0.005 % for surnames."""
BLOCKED = 16
"""A medical term, brand, month, weekday or ordinary word that nobody is called."""
EPONYM = 32
CITY, BIG_CITY = 64, 128
STATE, COUNTRY, DEMONYM = 256, 512, 1024
UNKNOWN = 2048
"""In none of the lists: a rare name, a misspelling, a brand."""
UNSURE_PLACE = 4096
"""A place by that name exists, but the word mostly means something else."""
ORGANIZATION = 8192
"""A pharmacy, hospital, shop or employer by that name exists."""
PLACES_BEGIN, ORGANIZATIONS_BEGIN, CUES_BEGIN = 16384, 32768, 65536
"""A place, an organization, a cue of organizations (`Medical Center`) of several words begins with it."""
ORGANIZATION_CUE = 131072
"""`Hospital`, `Pharmacy`, `University`."""
MONTH = 262144
"""A month, a weekday or a holiday."""
MAKERS_BEGIN, TERMS_BEGIN = 524288, 1048576
"""A drug maker or brand, a medical term of several words begins with it: `Johnson & Johnson`, `charley horse`."""
EPONYMS_BEGIN = 1 << 22
"""An eponym of several words begins with it: `Bence Jones`."""
TERM = 2097152
"""A medical term, a brand, a regulator, and not often a name."""
LEVEL = 23
"""`facts >> LEVEL` is `Words.level`: 0 no English word, 1 a rarer one, 2 a common one, 3 a function word."""
NAME = GIVEN | SURNAME
OFTEN = OFTEN_GIVEN | OFTEN_SURNAME

_NAMES_OF_LISTS = (
    "common_words stop_words given_names surnames medical months weekdays eponyms not_organizations cities us_states provinces "
    "countries us_counties holidays organizations organization_cues"
)

_LISTED = NAME | EPONYM | CITY | STATE | COUNTRY | DEMONYM | MONTH | ORGANIZATION | ORGANIZATION_CUE
_OFTEN_GIVEN_SHARE, _OFTEN_SURNAME_SHARE = 0.01, 0.005
_MEMBERS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (EPONYM, ("eponyms",)),
    (MONTH, ("months", "weekdays", "holidays")),
    (ORGANIZATION, ("organizations",)),
    (ORGANIZATION_CUE, ("organization_cues",)),
)
_BEGINNINGS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (PLACES_BEGIN, ("cities", "us_states", "provinces", "countries", "us_counties")),
    (ORGANIZATIONS_BEGIN, ("organizations",)),
    (CUES_BEGIN, ("organization_cues",)),
    (MAKERS_BEGIN, ("not_organizations",)),
    (TERMS_BEGIN, ("medical",)),
    (EPONYMS_BEGIN, ("eponyms",)),
)


_JOINT = "\x02"


class _PhraseTables(dict[tuple[tuple[str, ...], tuple[str, ...]], FormTable[tuple[int, Entry | None]]]):
    """A cache of phrases for each tuple of lists and the kinds that are left out."""

    def __init__(self, find: Callable[[tuple[str, ...], tuple[str, ...], str], tuple[int, Entry | None]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: tuple[tuple[str, ...], tuple[str, ...]]) -> FormTable[tuple[int, Entry | None]]:
        table = self[key] = FormTable(partial(self._find, *key), 1_000)
        return table


class Words(Resource):
    """The lists of the lexicon pack that tell names from words. Load it as `english`."""

    kind = "set of word lists"

    def __init__(self, lists: dict[str, Lexicon]) -> None:
        self.lists = lists

    @classmethod
    def names(cls) -> list[str]:
        return ["english"]

    @classmethod
    def load(cls, name: str) -> Self:
        """Raises ResourceError for any name but `english`."""
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

    def level(self, word: str) -> int:
        """0 for no English word, 1 for a rarer one (`walker`), 2 for a common one (`white`), 3 for a function word (`will`).

        A word that is far more often a name (`john`, `smith`) counts one level lower.
        """
        return self.facts[word] >> LEVEL

    def is_word(self, word: str) -> bool:
        """Whether a text may hold it for its own sake, so that it is no slip of the pen for a name."""
        return any(name in self._listed[word] for name in ("common_words", "stop_words", "medical"))

    @cached_property
    def facts(self) -> FormTable[int]:
        """The bits of a form (`GIVEN`, `BLOCKED` ...), whatever its case."""
        return FormTable(self._facts)

    @cached_property
    def marks(self) -> FormTable[int]:
        """The shape of a form (`shape.CAPITAL` ...), with `HOT` where a rule can begin at it.

        For forms in small letters that asks few lists: most words of a text are such forms, and nothing more need be
        known of them.
        """
        return FormTable(self._mark)

    @cached_property
    def _listed(self) -> FormTable[dict[str, Entry]]:
        """The entries of a single token by list."""
        return FormTable(self._read, 5_000)

    def _read(self, form: str) -> dict[str, Entry]:
        normal, key = NORMAL[form], key_of([form])
        found = {}
        for name, lexicon in self.lists.items():
            if normal in lexicon.compiled.words:  # one look-up for the many lists that do not hold it
                for entry in lexicon.entries_of_key(key):
                    if case_fits(entry, [form]):
                        found[name] = entry
                        break
        return found

    def longest(
        self, lists: str | tuple[str, ...], tokens: list[str], but: tuple[str, ...] = ()
    ) -> tuple[int, Entry | None]:
        """Return the longest entry of some lists that begins with the first token, and its number of tokens.

        Of equals, returns the entry of the first list. Kinds in `but` are left out.
        """
        return self._phrases[(lists,) if isinstance(lists, str) else lists, but][_JOINT.join(tokens)]

    @cached_property
    def _phrases(self) -> _PhraseTables:
        return _PhraseTables(self._find_longest)

    def _find_longest(self, lists: tuple[str, ...], but: tuple[str, ...], joined: str) -> tuple[int, Entry | None]:
        tokens = joined.split(_JOINT)
        best: tuple[int, Entry | None] = (0, None)
        for lexicon in map(self.lists.__getitem__, lists):
            known = lexicon.compiled.words
            size = next((i for i, token in enumerate(tokens) if NORMAL[token] not in known), len(tokens))
            for last in range(size, best[0], -1):
                entries = lexicon.entries_of_key(key_of(tokens[:last]))
                entry = next((e for e in entries if e.kind not in but and case_fits(e, tokens[:last])), None)
                if entry is not None:
                    best = last, entry
                    break
        return best

    def _begins(self, normal: str, *names: str) -> bool:
        """Whether an entry of several words in one of the lists begins with a token."""
        return any(normal in self.lists[name].compiled.words and self.lists[name].depth(normal) > 1 for name in names)

    def _mark(self, form: str) -> int:
        bits = shape(form)
        return bits | HOT if bits & HOT_SHAPE or (bits & SMALL and self._hint(form)) else bits

    def _hint(self, form: str) -> bool:
        """Whether a form in small letters can begin anything: a frequent given name, an organization, a cue of one."""
        normal = NORMAL[form]
        if any(normal in self.lists[name].compiled.words for name in ("organizations", "organization_cues")):
            return True
        given = self._listed[form].get("given_names") if normal in self.lists["given_names"].compiled.words else None
        return given is not None and given.share >= _OFTEN_GIVEN_SHARE

    def _facts(self, form: str) -> int:
        """The bits of a form; one with diacritics that no list holds is what it is without them: `José` as `Jose`."""
        found = self._own_facts(form)
        if found & UNKNOWN and not form.isascii():
            plain = self._own_facts(_without_diacritics(form))
            if plain & (NAME | BLOCKED):
                return plain
        return found

    def _own_facts(self, form: str) -> int:
        listed = self._listed[form]
        given, surname = listed.get("given_names"), listed.get("surnames")
        names = max(given.share if given else 0.0, surname.share if surname else 0.0)
        found = 0
        if given is not None:
            found |= GIVEN | (OFTEN_GIVEN if given.share >= _OFTEN_GIVEN_SHARE else 0)
        if surname is not None:
            found |= SURNAME | (OFTEN_SURNAME if surname.share >= _OFTEN_SURNAME_SHARE else 0)
        for bit, lists in _MEMBERS:
            if any(name in listed for name in lists):
                found |= bit
        for bit, lists in _BEGINNINGS:
            if self._begins(NORMAL[form], *lists):
                found |= bit
        found |= _places(listed)
        level = _level(listed)
        if _is_term(listed, found):
            found |= TERM
        if _is_blocked(found, level, names):
            found |= BLOCKED
        elif not found & _LISTED and not level:
            found |= UNKNOWN
        return found | level << LEVEL


def _without_diacritics(form: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", form) if not unicodedata.combining(c))


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
    found = 0
    city, country = listed.get("cities"), listed.get("countries")
    if city is not None:
        found |= CITY | (BIG_CITY if city.population >= 100_000 else 0) | (UNSURE_PLACE if city.ambiguous else 0)
    for state in (listed.get("us_states"), listed.get("provinces")):
        if state is not None and state.kind == "name":
            found |= STATE | (UNSURE_PLACE if state.ambiguous else 0)
    if country is not None:
        found |= DEMONYM if country.kind == "demonym" else COUNTRY | (UNSURE_PLACE if country.ambiguous else 0)
    return found


def _is_term(listed: Mapping[str, Entry], found: int) -> bool:
    brand = listed.get("not_organizations")
    if brand is not None and not (brand.ambiguous and found & OFTEN):
        return True
    return not found & OFTEN and "medical" in listed


def _is_blocked(found: int, level: int, names: float) -> bool:
    """Whether nobody is called so; `names` is the share of people who are, in percent."""
    if level == 3 or found & TERM:
        return True
    if found & MONTH or level == 1:
        return not found & OFTEN or level > 1  # `April`, `June` are people too
    if level == 2:
        return not found & OFTEN or names < 0.02
    return bool(found & DEMONYM and not found & OFTEN)
