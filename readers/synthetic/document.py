"""Generate the document of a number, and the health record of its patient.

A layout is chosen and run over a story, noise is added, and the pieces are joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from .draws import Draws
from .library import Layout, Library, library, weighted_layouts
from .names import names
from .noise import roughen
from .pattern import Person
from .pieces import Piece, Span, join, merged, with_articles
from .story import Story


@dataclass(frozen=True, slots=True)
class Document:
    """A synthetic document: its text, its gold spans in text order, and the layout and language it was generated from."""

    id: str
    language: str
    layout: str
    text: str
    spans: list[Span]
    known: tuple[Fact, ...] = ()
    """Facts of the health record about the patient and the doctors; empty unless `known` was requested."""


class Maker:
    """Generates documents by number. A document depends only on the settings and its number.

    Raises ValueError for settings out of range and unknown layouts, ResourceError for a language without templates.
    """

    def __init__(
        self,
        seed: int = 1,
        languages: Sequence[str] = ("en",),
        layouts: Mapping[str, float] | None = None,
        *,
        noise: float = 0.3,
        phi_density: float = 1.0,
        unlisted: float = 0.4,
        known: bool = False,
    ) -> None:
        check(languages, layouts or {}, noise, phi_density, unlisted)
        self.seed, self.noise, self.density, self.unlisted, self.known = seed, noise, phi_density, unlisted, known
        self._libraries = [library(language) for language in languages]
        self._layouts = [_layouts(lib, self._libraries, layouts or {}) for lib in self._libraries]
        self._names = names()

    def document(self, number: int) -> Document:
        """Return the document with a number, counted from 0."""
        lib, layout, story, pieces = self._write(number)
        rough = roughen(pieces, Draws(self.seed, number, "noise"), self.noise, layout, lib.abbreviations)
        text, spans = join(rough)
        known = facts(story, pieces, Draws(self.seed, number, "record")) if self.known else ()
        return Document(f"synthetic-{self.seed}-{number:06}", lib.language, layout.name, text, spans, tuple(known))

    def draft(self, number: int) -> tuple[Library, Layout, list[Piece]]:
        """Return the pieces of a document before noise, with its library and layout."""
        lib, layout, _, pieces = self._write(number)
        return lib, layout, pieces

    def _write(self, number: int) -> tuple[Library, Layout, Story, list[Piece]]:
        draws = Draws(self.seed, number, "text")
        n = draws.below(len(self._libraries))
        lib = self._libraries[n]
        layout = draws.weighted(self._layouts[n])
        story = Story(lib, self._names, layout, draws, density=self.density, unlisted=self.unlisted)
        layout.run(story)
        return lib, layout, story, merged(with_articles(story.out, lib.words["articles"]))


def check(
    languages: Sequence[str], layouts: Mapping[str, float], noise: float, phi_density: float, unlisted: float
) -> None:
    """Raise ValueError for settings out of range. Reads no file."""
    for name, value, most in (("noise", noise, 1.0), ("phi_density", phi_density, 100.0), ("unlisted", unlisted, 1.0)):
        if not 0 <= value <= most:
            raise ValueError(f"{name}: expected a number from 0 to {most:g}, got {value:g}")
    if not languages or len(set(languages)) != len(languages):
        raise ValueError("languages: expected at least one, each once")
    if any(not weight >= 0 for weight in layouts.values()) or (layouts and not any(layouts.values())):
        raise ValueError("layouts: expected weights of 0 or more, at least one above 0")


def _layouts(own: Library, libraries: Sequence[Library], wanted: Mapping[str, float]) -> list[tuple[Layout, float]]:
    weighted_layouts({name: layout for lib in libraries for name, layout in lib.layouts.items()}, wanted)
    weights = {name: weight for name, weight in wanted.items() if name in own.layouts and weight}
    if wanted and not weights:
        raise ValueError(f"layouts: expected at least one of language {own.language}: {', '.join(own.layouts)}")
    return weighted_layouts(own.layouts, weights)


STAFF = 6
"""Doctors on the hospital's list who do not occur in the document."""
LISTED = 0.9
"""Share of the document's doctors who are on that list; the rest practice elsewhere."""
_NUMBERS = ("ID_MEDICAL_RECORD",)


class Fact(NamedTuple):
    """A value of the record: PHI kind, value as the database stores it, role of the person, and name of the field."""

    kind: str
    value: str
    role: str
    field: str


def facts(story: Story, pieces: Sequence[Piece], draws: Draws) -> list[Fact]:
    """Return the record in the order of its fields. Changes neither the text nor the story."""
    patient, home = story.patient, story.home
    record = [Fact("PERSON_PATIENT", _name(patient, draws), "patient", "patient.name")]
    record.append(Fact("DATE_BIRTH", story.birth.isoformat(), "patient", "patient.birth_date"))
    years = relativedelta(story.anchor, story.birth).years
    if years:
        record.append(Fact("AGE", str(years), "patient", "patient.age"))
    record.append(Fact("LOCATION_CITY", home.city, "patient", "patient.city"))
    record.append(Fact("LOCATION_ZIP", home.zip, "patient", "patient.zip"))
    numbers = dict.fromkeys((kind, text) for text, kind in pieces if kind in _NUMBERS)
    record += [Fact(kind, text, "patient", "patient.number") for kind, text in numbers]
    staff = [p for _, p in sorted(story.people.items()) if p.role in ("doctor", "nurse") and draws.chance(LISTED)]
    for _ in range(STAFF):
        sex = "female" if draws.chance(0.5) else "male"
        staff.append(story.names.person(draws, "doctor", sex, story.unlisted))
    doctors = sorted({_name(person, draws) for person in staff})
    return record + [Fact("PERSON_DOCTOR", name, "doctor", "hospital.staff") for name in doctors]


def _name(person: Person, draws: Draws) -> str:
    """Return `Reed, Ann B` or `Ann Reed`."""
    if draws.chance(0.5):
        return f"{person.last}, {person.first} {person.middle[:1]}".strip()
    return f"{person.first} {person.last}"
