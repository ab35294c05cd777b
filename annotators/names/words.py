"""What a word can be: a name, an ordinary word, a place, a medical term. One look-up for each form of a text."""

from __future__ import annotations

from functools import cached_property
from typing import Self

from ...pipeline.errors import ResourceError, nearest
from ...pipeline.resources import Resource, load
from ...typesystem import FormTable
from ..lexicon import Entry, Lexicon
from ..lexicon.lexicon import case_fits
from ..lexicon.normal import key_of

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
ORGANISATION = 8192
"""A pharmacy, hospital, shop or employer by that name exists."""
PLACES_BEGIN, ORGANISATIONS_BEGIN, CUES_BEGIN = 16384, 32768, 65536
"""A place, an organisation, a cue of organisations (`Medical Center`) of several words begins with it."""
ORGANISATION_CUE = 131072
"""`Hospital`, `Pharmacy`, `University`."""
MONTH = 262144
"""A month, a weekday or a holiday."""
MAKERS_BEGIN, TERMS_BEGIN = 524288, 1048576
"""A drug maker or brand, a medical term of several words begins with it: `Johnson & Johnson`, `charley horse`."""
TERM = 2097152
"""A medical term, a brand, a regulator, and not often a name."""
LEVEL = 22
"""`facts >> LEVEL` is `Words.level`: 0 no English word, 1 a rarer one, 2 a common one, 3 a function word."""
NAME = GIVEN | SURNAME
OFTEN = OFTEN_GIVEN | OFTEN_SURNAME

_NAMES_OF_LISTS = (
    "common_words stop_words given_names surnames medical months weekdays eponyms not_organizations cities us_states provinces "
    "countries us_counties holidays organizations organization_cues"
)

_LISTED = NAME | EPONYM | CITY | STATE | COUNTRY | DEMONYM | MONTH | ORGANISATION | ORGANISATION_CUE
_OFTEN_GIVEN_SHARE, _OFTEN_SURNAME_SHARE = 0.01, 0.005
_BEGINNINGS = (
    (PLACES_BEGIN, ("cities", "us_states", "provinces", "countries", "us_counties")),
    (ORGANISATIONS_BEGIN, ("organizations",)),
    (CUES_BEGIN, ("organization_cues",)),
    (MAKERS_BEGIN, ("not_organizations",)),
    (TERMS_BEGIN, ("medical",)),
)


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

    def __repr__(self) -> str:
        return "<Words english>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).load, ("english",)

    def level(self, word: str) -> int:
        """0 for no English word, 1 for a rarer one (`walker`), 2 for a common one (`white`), 3 for a function word (`will`).

        A word that is far more often a name (`john`, `smith`) counts one level lower.
        """
        if self._entry("stop_words", word) is not None:
            return 3
        entry = self._entry("common_words", word)
        if entry is None:
            return 1 if self._entry("medical", word) is not None and not self.is_name(word) else 0
        if entry.tier <= 10:
            return 2
        often = self.is_name(word)
        if entry.tier <= 20:
            return 1 if often else 2
        return 0 if often else 1

    def is_name(self, word: str) -> bool:
        """Whether many people bear it: a given name of 0.05 % or a surname of 0.3 % of the US population of 1990."""
        given, surname = self._entry("given_names", word), self._entry("surnames", word)
        return (given is not None and given.share >= 0.05) or (surname is not None and surname.share >= 0.3)

    def is_word(self, word: str) -> bool:
        """Whether a text may hold it for its own sake, so that it is no slip of the pen for a name."""
        return any(self._entry(name, word) is not None for name in ("common_words", "stop_words", "medical"))

    @cached_property
    def facts(self) -> FormTable[int]:
        """The bits of a form (`GIVEN`, `BLOCKED` ...), whatever its case."""
        return FormTable(self._facts)

    @cached_property
    def hints(self) -> FormTable[bool]:
        """Whether a form in small letters can begin anything: a frequent given name, an organisation, a cue of one.

        Asks few lists: most words of a text are such forms, and nothing more need be known of them.
        """
        return FormTable(self._hint)

    def _entry(self, name: str, form: str) -> Entry | None:
        """The entry of a single token in a list. Quicker than `Lexicon.entry`, which cuts phrases into tokens first."""
        for entry in self.lists[name].entries_of_key(key_of([form])):
            if case_fits(entry, [form]):
                return entry
        return None

    def _hint(self, form: str) -> bool:
        given = self._entry("given_names", form)
        if given is not None and given.share >= _OFTEN_GIVEN_SHARE:
            return True
        lists = [self.lists[name] for name in ("organizations", "organization_cues")]
        return any(lexicon.depth(form) > 0 for lexicon in lists)

    def _facts(self, form: str) -> int:
        found = 0
        given, surname = self._entry("given_names", form), self._entry("surnames", form)
        if given is not None:
            found |= GIVEN | (OFTEN_GIVEN if given.share >= _OFTEN_GIVEN_SHARE else 0)
        if surname is not None:
            found |= SURNAME | (OFTEN_SURNAME if surname.share >= _OFTEN_SURNAME_SHARE else 0)
        level = self.level(form)
        if self._entry("eponyms", form) is not None:
            found |= EPONYM
        if any(self._entry(name, form) is not None for name in ("months", "weekdays", "holidays")):
            found |= MONTH
        found |= self._places(form) | self._organisations(form)
        if self._is_term(form, found):
            found |= TERM
        if self._is_blocked(form, found, level):
            found |= BLOCKED
        elif not found & _LISTED and not level:
            found |= UNKNOWN
        return found | level << LEVEL

    def _places(self, form: str) -> int:
        found = 0
        city = self._entry("cities", form)
        if city is not None:
            found |= CITY | (BIG_CITY if city.population >= 100_000 else 0) | (UNSURE_PLACE if city.ambiguous else 0)
        for state in (self._entry("us_states", form), self._entry("provinces", form)):
            if state is not None and state.kind == "name":
                found |= STATE | (UNSURE_PLACE if state.ambiguous else 0)
        country = self._entry("countries", form)
        if country is not None:
            found |= DEMONYM if country.kind == "demonym" else COUNTRY | (UNSURE_PLACE if country.ambiguous else 0)
        return found

    def _organisations(self, form: str) -> int:
        found = 0
        for bit, names in _BEGINNINGS:
            if any(self.lists[name].depth(form) > 1 for name in names):
                found |= bit
        if self._entry("organizations", form) is not None:
            found |= ORGANISATION
        if self._entry("organization_cues", form) is not None:
            found |= ORGANISATION_CUE
        return found

    def _is_term(self, form: str, found: int) -> bool:
        brand = self._entry("not_organizations", form)
        if brand is not None and not (brand.ambiguous and found & OFTEN):
            return True
        return not found & OFTEN and self._entry("medical", form) is not None

    def _is_blocked(self, form: str, found: int, level: int) -> bool:
        if level == 3 or found & TERM:
            return True
        if found & MONTH or level == 1:
            return not found & OFTEN or level > 1  # `April`, `June` are people too
        if level == 2:
            return not found & OFTEN or not self._mostly(form, 0.02)
        return bool(found & DEMONYM and not found & OFTEN)

    def _mostly(self, form: str, share: float) -> bool:
        given, surname = self._entry("given_names", form), self._entry("surnames", form)
        return max(given.share if given else 0.0, surname.share if surname else 0.0) >= share
