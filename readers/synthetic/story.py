"""The facts of one document: people, dates and places. All slots share one story, which keeps the document consistent."""

from __future__ import annotations

import datetime
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from .draws import Draws
from .names import Names, Place
from .pattern import Person, moved
from .pieces import Piece
from .vocabulary import Vocabulary

_BANDS = ((0, 1, 3.0), (1, 12, 4.0), (13, 17, 3.0), (18, 44, 27.0), (45, 64, 28.0), (65, 89, 29.0), (90, 104, 6.0))
"""(first year of age, last year, share) of patients."""
_STAGES = ((2, "infant"), (13, "child"), (18, "teen"), (65, "adult"), (200, "elder"))
_FERTILE = range(18, 46)
_RECENT = range(2020, 2040)
_PARENTS = {"mother": ("female", 0.7), "father": ("male", 0.9)}
"""Sex of a parent, and the share of those with the patient's surname."""


@dataclass(slots=True, eq=False)
class LayoutStyle:
    """Settings of a type of document. Shares refer to its documents; `wrap` and `flat` are the shares at noise 1."""

    name: str
    weight: float = 1.0
    dates: dict[str, float] = field(default_factory=lambda: {"numeric": 5, "prose": 3, "compact": 1, "iso": 1})
    """Weights of the families of date formats."""
    upper: float = 0.03
    lower: float = 0.03
    wrap: float = 0.2
    flat: float = 0.1
    short: float = 0.1
    """Share of documents with the abbreviations of hurried notes."""
    years: tuple[int, int] = (1998, 2026)
    ages: tuple[int, int] = (0, 104)


class Story:
    """The state of one document while it is written. `out` holds its pieces so far."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        names: Names,
        layout: LayoutStyle,
        draws: Draws,
        *,
        density: float,
        unlisted: float,
    ) -> None:
        self.vocabulary, self.names, self.layout, self.draws = vocabulary, names, layout, draws
        self.density, self.unlisted = density, unlisted
        self.out: list[Piece] = []
        self.memo: dict[tuple[str, str], list[Piece]] = {}
        self.used: set[object] = set()
        """Entries of pools that the document has used."""
        self.people: dict[str, Person] = {}
        self.favorites: dict[str, int] = {}
        self.days: dict[str, datetime.date] = {}
        self._other: Place | None = None
        self.ascii = draws.chance(0.6)
        self.home = vocabulary.places.place(draws)
        at_home = self.home.country == vocabulary.places.home
        self.order = draws.pick(vocabulary.words["home-order" if at_home else "abroad-order"])
        low, high = layout.ages
        age = _years(draws, low, high)
        first, last = layout.years
        year = draws.between(2061, 2110) if draws.chance(0.05) else draws.between(first, last)
        self.anchor: datetime.date = datetime.date(year, 1, 1) + datetime.timedelta(draws.below(365))
        self.birth: datetime.date = moved(self.anchor, -int(age * 365.25) - draws.between(2, 364))
        self.day: datetime.date = self.anchor
        self.limit: datetime.date | None = None
        sex = "female" if draws.chance(0.55) else "male"
        self.facts = _facts(sex, age, year)
        self.patient = self.person("patient", sex)

    def person(self, key: str, sex: str = "") -> Person:
        """Return a person by role and number, as in `doctor2`, created at the first call."""
        if key not in self.people:
            sex = sex or ("female" if self.draws.chance(0.5) else "male")
            self.people[key] = self._cast(key.rstrip("0123456789"), sex)
        return self.people[key]

    def _cast(self, role: str, sex: str) -> Person:
        """Return a person for a role. A relative's relation, sex and surname depend on the patient and the facts about them."""
        draws, words = self.draws, self.vocabulary.words
        relation, same_surname, relative_of = "", 0.0, None
        if role == "relative":
            fitting = [r for r in self.vocabulary.relations if r[2] == "any" or self.facts >= set(r[2].split(","))]
            relation, sex, _, percent = draws.pick(fitting)
            same_surname, relative_of = float(percent) / 100, self.people.get("patient")
        elif role in _PARENTS:
            sex, same_surname = _PARENTS[role]
            relative_of = self.people.get("patient")
        person = self.names.person(draws, role, sex, self.unlisted, relative_of)
        person.relation = relation
        if relative_of is not None and draws.chance(same_surname):
            person.last = relative_of.last
        person.title = draws.pick(words.get(f"{role}-titles") or words[f"{sex}-titles"])
        if role in ("doctor", "nurse", "reporter"):
            person.degree = draws.pick(words["nurse-degrees" if role == "nurse" else "doctor-degrees"])
        if sex == "male" and draws.chance(0.03):
            person.suffix = draws.pick(words["suffixes"])
        return person

    def other_place(self, another: bool) -> Place:
        """Return a town that is not the patient's: the last one mentioned, or another one."""
        if self._other is None or another:
            self._other = self.vocabulary.places.place(self.draws)
        return self._other

    def favorite(self, key: str, count: int, share: float) -> int:
        """Return one of `count` ways to write something: with probability `share` the one first used in this document."""
        first = self.favorites.get(key)
        if first is None:
            first = self.favorites[key] = self.draws.below(count)
        return first if self.draws.chance(share) else self.draws.below(count)

    def date_family(self) -> str:
        """Return a family of date formats (numeric, compact, prose), mostly the one first used in this document."""
        families = list(self.layout.dates)
        first = self.favorites.get("dates")
        if first is None:
            first = families.index(self.draws.weighted(list(self.layout.dates.items())))
            self.favorites["dates"] = first
        if self.draws.chance(0.75):
            return families[first]
        return self.draws.weighted(list(self.layout.dates.items()))

    def repeat(self, key: tuple[str, str], write: Callable[[Story], None]) -> None:
        """Add the pieces that `write` adds, the same ones at every call with this key."""
        known = self.memo.get(key)
        if known is None:
            start = len(self.out)
            write(self)
            known = self.memo[key] = self.out[start:]
        else:
            self.out += known

    def shape(self, text: str) -> str:
        """Return a name as the document's system stores it: many systems have only the letters A to Z."""
        return ascii_letters(text) if self.ascii and not text.isascii() else text

    def ahead(self, low: int, high: int) -> datetime.date:
        """Advance the current day by some days, but not beyond the end of a stay, and return it."""
        day = moved(self.day, self.draws.between(low, high))
        self.day = day if self.limit is None else min(day, self.limit)
        return self.day


def ascii_letters(text: str) -> str:
    """Return the text without diacritics on Latin letters."""
    decomposed = unicodedata.normalize("NFD", text.translate(_LATIN))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_LATIN = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "ı": "i", "ð": "d", "æ": "ae", "Æ": "Ae", "đ": "d", "þ": "th"}
)


def _years(draws: Draws, low: int, high: int) -> int:
    bands = [((a, b), share) for a, b, share in _BANDS if b >= low and a <= high]
    first, last = draws.weighted(bands)
    return draws.between(max(first, low), min(last, high))


def _facts(sex: str, years: int, year: int) -> frozenset[str]:
    stage = next(name for limit, name in _STAGES if years < limit)
    facts = {sex, stage, "minor" if years < 18 else "grown"}
    if sex == "female" and years in _FERTILE:
        facts.add("fertile")
    if year in _RECENT:
        facts.add("recent")
    return frozenset(facts)
