"""Names of people by origin: own lists, those of the synthetic reader and those of the corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from ...synthetic.draws import Draws
from ...synthetic.names import names
from ...synthetic.sections import read_sections, rows

SYNTHETIC = "synthetic"
_SYNTHETIC_SHARE = 0.25
"""Share of families with names of the synthetic reader: more origins, census lists, and invented surnames."""
_INVENTED = 0.4
_SAME_ORIGIN = 0.88
_TWO_SURNAMES = {"hispanic": 0.3, "romance": 0.05, "filipino": 0.05, "anglo": 0.03}
_SEXES = ("female", "male")


@dataclass(frozen=True, slots=True)
class Origin:
    """Names of one part of the world, or of a group of people."""

    name: str
    share: float
    lists: dict[str, tuple[str, ...]]
    """Names by `female`, `male` and `surname`."""


@dataclass(slots=True)
class SeenNames:
    """Names of people in the corpus, by the same keys as those of an origin; without repetitions, in order of occurrence."""

    lists: dict[str, dict[str, None]] = field(default_factory=lambda: {k: {} for k in (*_SEXES, "surname")})
    _drawn: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, name: str, of: str) -> None:
        self.lists[of].setdefault(name)

    def of(self, name: str) -> tuple[str, ...]:
        if name not in self._drawn:
            self._drawn[name] = tuple(self.lists[name])
        return self._drawn[name]


@cache
def origins() -> tuple[tuple[Origin, float], ...]:
    """Return the origins with their weights."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    shares: dict[str, float] = {}
    for section in read_sections(files(__package__.rpartition(".")[0]).joinpath("data", "names.txt")):
        origin, what = section.words
        entries = [entry.strip() for entry in " ".join(line.text for line in section.lines).split(",")]
        if what == "share":
            shares[origin] = float(entries[0])
        else:
            found.setdefault(origin, {})[what] = tuple(entries)
    return tuple((Origin(name, shares[name], lists), shares[name]) for name, lists in found.items())


@cache
def sex_of() -> dict[str, str]:
    """Return `female` or `male` for given names in lower case, as far as the lists agree."""
    letters = {"F": "female", "M": "male"}
    found = {form.lower(): letters[sex] for form, sex in rows("given_names", "form", "sex") if sex in letters}
    for origin, _ in origins():
        for sex in _SEXES:
            for name in origin.lists[sex]:
                found.setdefault(name.lower(), sex)
    return found


@cache
def surname_shares() -> dict[str, float]:
    """Return the share of each listed surname in lower case, in percent of the population; 0 if unknown."""
    found = {form.lower(): float(share or 0) for form, share in rows("surnames", "form", "share")}
    for origin, _ in origins():
        for name in origin.lists["surname"]:
            found.setdefault(name.lower(), 0.0)
    return found


@cache
def given_shares() -> dict[str, float]:
    """Return the share of each listed given name in lower case, in percent of one sex; 0 if unknown."""
    found = {form.lower(): float(share or 0) for form, share in rows("given_names", "form", "share")}
    for origin, _ in origins():
        for sex in _SEXES:
            for name in origin.lists[sex]:
                found.setdefault(name.lower(), 0.0)
    return found


class Family:
    """Draws names of related people, mostly of one origin."""

    def __init__(self, draws: Draws, seen: SeenNames, pool: float) -> None:
        self._draws, self._seen, self._pool = draws, seen, pool
        self._synthetic = draws.chance(_SYNTHETIC_SHARE)
        self._origin = draws.weighted(origins())

    def given(self, sex: str) -> str:
        draws = self._draws
        sex = sex or _SEXES[draws.below(2)]
        if draws.chance(self._pool) and self._seen.of(sex):
            return draws.pick(self._seen.of(sex))
        if self._synthetic:
            return names().person(draws, "doctor", sex, 0.1).first
        origin = self._origin if draws.chance(_SAME_ORIGIN) else draws.weighted(origins())
        return draws.pick(origin.lists[sex])

    def surname(self) -> str:
        draws = self._draws
        if draws.chance(self._pool) and self._seen.of("surname"):
            return draws.pick(self._seen.of("surname"))
        if self._synthetic:
            return names().surname(draws, invent=draws.chance(_INVENTED))
        surnames = self._origin.lists["surname"]
        name = draws.pick(surnames)
        if draws.chance(_TWO_SURNAMES.get(self._origin.name, 0.01)):
            name = f"{name}{draws.pick((' ', '-'))}{draws.pick(surnames)}"
        return name
