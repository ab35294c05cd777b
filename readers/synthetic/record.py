"""The health record beside a document: what a hospital's database would hold about its patient and its doctors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .draws import Draws
from .people import Person
from .pieces import Piece

if TYPE_CHECKING:
    from .story import Story

STAFF = 6
"""Doctors on the list of the hospital who do not occur in the document."""
LISTED = 0.9
"""Share of the document's doctors who are on that list; the others practise elsewhere."""
_NUMBERS = ("ID_MEDICAL_RECORD",)


class Fact(NamedTuple):
    """Something known: kind, value as the database writes it, whose it is, and the field it stands in."""

    kind: str
    value: str
    role: str
    field: str


def facts(story: Story, pieces: Sequence[Piece], draws: Draws) -> list[Fact]:
    """What the record holds, in the order of its fields. Depends on the story and the draws; changes neither text nor story."""
    patient = story.patient
    found = [Fact("PERSON_PATIENT", _name(patient, draws), "patient", "patient.name")]
    found.append(Fact("DATE_BIRTH", story.birth.isoformat(), "patient", "patient.birth_date"))
    years = int((story.anchor - story.birth).days / 365.25)
    if years:
        found.append(Fact("AGE", str(years), "patient", "patient.age"))
    home = story.home
    found.append(Fact("LOCATION_CITY", home.city, "patient", "patient.city"))
    found.append(Fact("LOCATION_ZIP", home.zip, "patient", "patient.zip"))
    numbers = dict.fromkeys((kind, text) for text, kind in pieces if kind in _NUMBERS)
    found += [Fact(kind, text, "patient", "patient.number") for kind, text in numbers]
    staff = [p for _, p in sorted(story.people.items()) if p.role in ("doctor", "nurse") and draws.chance(LISTED)]
    for _ in range(STAFF):
        sex = "female" if draws.chance(0.5) else "male"
        staff.append(story.names.person(draws, "doctor", sex, story.unlisted))
    names = sorted({_name(person, draws) for person in staff})
    return found + [Fact("PERSON_DOCTOR", name, "doctor", "hospital.staff") for name in names]


def _name(person: Person, draws: Draws) -> str:
    """`Reed, Ann B`, or `Ann Reed`."""
    if draws.chance(0.5):
        return f"{person.last}, {person.first} {person.middle[:1]}".strip()
    return f"{person.first} {person.last}"
