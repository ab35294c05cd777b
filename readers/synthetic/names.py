"""Names of people and towns: drawn from tables and the shipped lists, or built from syllables so that no list has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources.abc import Traversable

from .draws import Draws
from .pattern import Person
from .sections import root, rows, sections_of, text_files

_COMMON = 0.004
"""Minimum share, in percent of the US population of 1990, of a common surname."""
_MIDDLE_IS_ANOTHER = 0.25
_SAME_ORIGIN = 0.85


@dataclass(frozen=True, slots=True)
class Origin:
    """Given names and surnames of one part of the world, and the syllables of invented names."""

    name: str
    share: float
    double: float
    """Share of people with two surnames, `García López`."""
    hyphen: float
    particles: list[str]
    lists: dict[str, list[str]] = field(default_factory=dict)


class Names:
    """Draws names. `listed` contains all names of the tables and the shipped lists, in lower case."""

    def __init__(self) -> None:
        self.origins = [_origin(file.name.removesuffix(".txt"), file) for file in text_files(root().joinpath("names"))]
        given = rows("given_names", "form", "sex")
        surnames = rows("surnames", "form", "share")
        self._given = {sex: [f for f, s in given if s in (letter, "U")] for sex, letter in _LETTERS.items()}
        self._surnames = [f for f, _ in surnames]
        self._common = [f for f, share in surnames if share and float(share) >= _COMMON]
        self.listed = set("\n".join([f for f, _ in (*given, *surnames)]).lower().split("\n"))
        self.listed.update(f.lower() for o in self.origins for names in o.lists.values() for f in names)
        self._weights = [(o, o.share) for o in self.origins]
        self._inventive = [(o, o.share) for o in self.origins if "surname-begin" in o.lists]

    def person(self, draws: Draws, role: str, sex: str, unlisted: float, relative_of: Person | None = None) -> Person:
        """Return a person, related to `relative_of` if that is given. `unlisted`: share of surnames that are in no list."""
        origin = draws.weighted(self._weights)
        if relative_of is not None and draws.chance(_SAME_ORIGIN):
            origin = next(o for o in self.origins if o.name == relative_of.origin)
        invent = draws.chance(unlisted)
        if invent and "surname-begin" not in origin.lists:
            origin = draws.weighted(self._inventive)
        first = self._first(draws, origin, sex, invent)
        other = draws.weighted(self._weights) if draws.chance(_MIDDLE_IS_ANOTHER) else origin
        middle = self._first(draws, other, sex, False)
        if middle == first:
            middle = self._first(draws, draws.weighted(self._weights), sex, False)
        return Person(
            role,
            sex,
            first,
            middle,
            self.surname(draws, origin, invent),
            origin=origin.name,
            number=draws.between(1, 99),
        )

    def surname(self, draws: Draws, origin: Origin | None = None, invent: bool = False) -> str:
        """Return a surname of an origin, or of any. `invent`: build one that is in no list."""
        origin = origin or draws.weighted(self._inventive if invent else self._weights)
        if invent:
            name = self.invented(draws, origin, "surname")
        else:
            name = self._surname(draws, origin)
            if draws.chance(origin.double):
                name = f"{name}{draws.pick((' ', ' ', ' ', '-'))}{self._surname(draws, origin)}"
        if draws.chance(origin.hyphen):
            name = f"{name}-{self._surname(draws, draws.weighted(self._weights))}"
        if origin.particles and " " not in name and draws.chance(0.12):
            particle = draws.pick(origin.particles)
            name = particle + name if particle[-1] in "'-" else f"{particle} {name}"
        return name

    def invented(self, draws: Draws, origin: Origin, what: str) -> str:
        """Return a name that is in no list, built from an origin's syllables."""
        begins, ends = origin.lists[f"{what}-begin"], origin.lists[f"{what}-end"]
        name = ""
        for _ in range(8):
            begin, end = draws.pick(begins), draws.pick(ends)
            name = (begin[:-1] if begin[-1].lower() == end[0] else begin) + end
            if name.lower() not in self.listed:
                break
            name = begin + draws.pick(ends)[:2] + end
            if name.lower() not in self.listed:
                break
        return name

    def _first(self, draws: Draws, origin: Origin, sex: str, invent: bool) -> str:
        if invent and f"{sex}-begin" in origin.lists and draws.chance(0.5):
            return self.invented(draws, origin, sex)
        if draws.chance(0.2):
            return draws.pick(self._given[sex])
        return draws.pick(origin.lists[sex])

    def _surname(self, draws: Draws, origin: Origin) -> str:
        share = draws.unit()
        if share < 0.15:
            return draws.pick(self._surnames)
        return draws.pick(self._common if share < 0.35 else origin.lists["surname"])


_LETTERS = {"female": "F", "male": "M"}
_NUMBERS = ("share", "double", "hyphen")


def _origin(name: str, file: Traversable) -> Origin:
    lists = {
        key: [entry.strip() for entry in " ".join(line.text for line in section.lines).split(",")]
        for key, section in sections_of(file, ("share", "female", "male", "surname")).items()
    }
    share, double, hyphen = (float(lists.pop(key, ["0"])[0]) for key in _NUMBERS)
    return Origin(name, share, double / 100, hyphen / 100, lists.pop("particles", []), lists)


@cache
def names() -> Names:
    """Return the names, loaded once per process."""
    return Names()


_TOWN = 4000
"""Minimum population of the listed places of the home country that are used."""
_NEEDED = ("home", "states", "provinces", "countries", "town-begin", "town-end")


@dataclass(frozen=True, slots=True)
class Place:
    """A town. `state` is empty for countries whose states are not listed."""

    city: str
    state: str
    code: str
    zip: str
    country: str


class Places:
    """The towns of a language's places.txt. Its first country is the home country; most documents come from there."""

    def __init__(self, file: Traversable) -> None:
        found = sections_of(file, _NEEDED)
        sections = {name: [line.text.split("|") for line in s.lines] for name, s in found.items()}
        share, self._invented = (float(cells[0]) / 100 for cells in sections["home"])
        self._countries = [(name, iso, mail) for name, iso, mail in sections["countries"]]
        self.home = self._countries[0][0]
        self._home_share = share
        self._states = [(name, code, mail) for name, code, mail in sections["states"]]
        self._provinces: dict[str, list[tuple[str, str]]] = {}
        for country, name, code in sections["provinces"]:
            self._provinces.setdefault(country, []).append((name, code))
        self._begin = [cells[0] for cells in sections["town-begin"]]
        self._end = [cells[0] for cells in sections["town-end"]]
        self._towns = self._listed()

    def place(self, draws: Draws) -> Place:
        """Return a town, usually one of the home country."""
        if draws.chance(self._home_share) or len(self._countries) == 1:
            name, code, mail = draws.pick(self._states)
            city = self._city(draws, code)
            return Place(city, name, code, _mail(mail, draws), self.home)
        name, iso, mail = draws.pick(self._countries[1:])
        state, code = draws.pick(self._provinces[name]) if name in self._provinces else ("", "")
        return Place(self._city(draws, iso + "*"), state, code, _mail(mail, draws), name)

    def _city(self, draws: Draws, key: str) -> str:
        towns = self._towns.get(key, ())
        if not towns or draws.chance(self._invented):
            return draws.pick(self._begin) + draws.pick(self._end)
        return draws.pick(towns)

    def _listed(self) -> dict[str, list[str]]:
        """Return the listed towns by state code, or by `<ISO country>*` outside the home country."""
        home = self._countries[0][1]
        abroad = {iso for _, iso, _ in self._countries[1:]}
        towns: dict[str, list[str]] = {}
        for form, population, country, state in rows("cities", "form", "population", "country", "state"):
            if country == home and state and int(population or 0) >= _TOWN:
                towns.setdefault(state, []).append(form)
            elif country in abroad and int(population or 0) >= 50_000:
                towns.setdefault(country + "*", []).append(form)
        return towns


def _mail(pattern: str, draws: Draws) -> str:
    """Return a postal code: each 9 becomes a digit, each A a letter."""
    return "".join(str(draws.below(10)) if c == "9" else chr(65 + draws.below(26)) if c == "A" else c for c in pattern)
