"""The facts of one document: who, when, where. Every slot asks the same story, so the document agrees with itself."""

from __future__ import annotations

import datetime
import unicodedata
from typing import TYPE_CHECKING

from .calendar import moved
from .casting import cast
from .draws import Draws
from .names import Names
from .people import Person
from .pieces import Piece

if TYPE_CHECKING:
    from .layouts import Layout
    from .library import Library
    from .places import Place
    from .pools import Entry
    from .template import Slot

_BANDS = ((0, 1, 3.0), (1, 12, 4.0), (13, 17, 3.0), (18, 44, 27.0), (45, 64, 28.0), (65, 89, 29.0), (90, 104, 6.0))
"""(first year of age, last year, share) of patients."""
_STAGES = ((2, "infant"), (13, "child"), (18, "teen"), (65, "adult"), (200, "elder"))
_FERTILE = range(18, 46)
_RECENT = range(2020, 2040)


class Story:
    """One document in the making. `out` holds the pieces so far."""

    __slots__ = (
        "_other",
        "anchor",
        "ascii",
        "birth",
        "day",
        "days",
        "density",
        "draws",
        "facts",
        "favourites",
        "home",
        "layout",
        "library",
        "limit",
        "memo",
        "names",
        "order",
        "out",
        "patient",
        "people",
        "unlisted",
        "used",
    )  # fmt: skip

    def __init__(
        self, library: Library, names: Names, layout: Layout, draws: Draws, *, density: float, unlisted: float
    ) -> None:
        self.library, self.names, self.layout, self.draws = library, names, layout, draws
        self.density, self.unlisted = density, unlisted
        self.out: list[Piece] = []
        self.memo: dict[tuple[str, str], list[Piece]] = {}
        self.used: set[Entry] = set()
        self.people: dict[str, Person] = {}
        self.favourites: dict[str, int] = {}
        self.days: dict[str, datetime.date] = {}
        self._other: Place | None = None
        self.ascii = draws.chance(0.6)
        self.home = library.places.place(draws)
        at_home = self.home.country == library.places.home
        self.order = draws.pick(library.words["home-order" if at_home else "abroad-order"])
        low, high = layout.ages
        age = _years(draws, low, high)
        first, last = layout.years
        year = draws.between(2061, 2110) if draws.chance(0.05) else draws.between(first, last)
        self.anchor: datetime.date = datetime.date(year, 1, 1) + datetime.timedelta(draws.below(365))
        self.birth: datetime.date = _birth(self.anchor, age, draws)
        self.day: datetime.date = self.anchor
        self.limit: datetime.date | None = None
        sex = "female" if draws.chance(0.55) else "male"
        self.facts = _facts(sex, age, year)
        self.patient = self.person("patient", sex)

    def person(self, key: str, sex: str = "") -> Person:
        """Somebody by role and number, `doctor2`: made when first asked for."""
        found = self.people.get(key)
        if found is None:
            role = key.rstrip("0123456789")
            sex = sex or ("female" if self.draws.chance(0.5) else "male")
            found = self.people[key] = cast(self, role, sex)
        return found

    def other_place(self, another: bool) -> Place:
        """A town that is not the patient's: the last one spoken of, or another."""
        if self._other is None or another:
            self._other = self.library.places.place(self.draws)
        return self._other

    def favourite(self, key: str, count: int, share: float) -> int:
        """Which of `count` ways to write something: a share of the time the one this document began with."""
        first = self.favourites.get(key)
        if first is None:
            first = self.favourites[key] = self.draws.below(count)
        return first if self.draws.chance(share) else self.draws.below(count)

    def date_family(self) -> str:
        """How dates of this document are mostly written: numeric, compact, in prose."""
        families = list(self.layout.dates)
        first = self.favourites.get("dates")
        if first is None:
            first = families.index(self.draws.weighted(list(self.layout.dates.items())))
            self.favourites["dates"] = first
        if self.draws.chance(0.75):
            return families[first]
        return self.draws.weighted(list(self.layout.dates.items()))

    def remembered(self, key: tuple[str, str], slot: Slot) -> None:
        """Adds what a slot said the first time it was asked under this key."""
        known = self.memo.get(key)
        if known is None:
            start = len(self.out)
            slot.run(self)
            known = self.memo[key] = self.out[start:]
        else:
            self.out += known

    def shape(self, text: str) -> str:
        """Names as this document's system writes them: many have no letters but A to Z."""
        return ascii_letters(text) if self.ascii and not text.isascii() else text

    def ahead(self, low: int, high: int) -> datetime.date:
        """Moves on in time by some days, not beyond the end of a stay, and says where the story is now."""
        day = moved(self.day, self.draws.between(low, high))
        self.day = day if self.limit is None else min(day, self.limit)
        return self.day


def ascii_letters(text: str) -> str:
    """The text with Latin letters that have diacritics written without."""
    decomposed = unicodedata.normalize("NFD", text.translate(_LATIN))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_LATIN = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "ı": "i", "ð": "d", "æ": "ae", "Æ": "Ae", "đ": "d", "þ": "th"}
)


def _years(draws: Draws, low: int, high: int) -> int:
    bands = [((a, b), share) for a, b, share in _BANDS if b >= low and a <= high]
    first, last = draws.weighted(bands)
    return draws.between(max(first, low), min(last, high))


def _birth(anchor: datetime.date, years: int, draws: Draws) -> datetime.date:
    """A date of birth that makes a person so many years old on a day; a baby's is at least a day before."""
    return moved(anchor, -int(years * 365.25) - draws.between(2, 364))


def _facts(sex: str, years: int, year: int) -> frozenset[str]:
    stage = next(name for limit, name in _STAGES if years < limit)
    facts = {sex, stage, "minor" if years < 18 else "grown"}
    if sex == "female" and years in _FERTILE:
        facts.add("fertile")
    if year in _RECENT:
        facts.add("recent")
    return frozenset(facts)
