"""The health record of a document: what a hospital's database would contain about its patient and its doctors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .draws import Draws
from .people import Person
from .pieces import Piece
from .story import Story

STAFF = 6
"""Doctors on the hospital's list who do not occur in the document."""
LISTED = 0.9
"""Share of the document's doctors who are on that list; the others practise elsewhere."""
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
    years = int((story.anchor - story.birth).days / 365.25)
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
