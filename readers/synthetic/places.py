"""Towns from the shipped list or built from syllables, with a matching state, postal code and country."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources.abc import Traversable

from ...pipeline.errors import ResourceError
from .draws import Draws
from .sections import read_sections, rows

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
        sections = {s.name: [line.text.split("|") for line in s.lines] for s in read_sections(file)}
        for needed in _NEEDED:
            if needed not in sections:
                raise ResourceError(f"{file.name}: expected a section {needed}")
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
