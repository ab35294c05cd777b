"""Choose the people of a document: their titles and degrees, and how relatives are related to the patient."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from .draws import Draws
from .names import Names
from .people import Person
from .vocabulary import Vocabulary

_PARENTS = {"mother": ("female", 0.7), "father": ("male", 0.9)}
"""Sex of a parent, and the share of those with the patient's surname."""


def cast(
    vocabulary: Vocabulary,
    names: Names,
    draws: Draws,
    role: str,
    sex: str,
    *,
    unlisted: float,
    patient: Person | None,
    facts: AbstractSet[str],
) -> Person:
    """Return a person for a role. A relative's relation, sex and surname depend on the patient and the facts about them."""
    words = vocabulary.words
    relation, same_surname, relative_of = "", 0.0, None
    if role == "relative":
        fitting = [row for row in vocabulary.relations if row[2] == "any" or facts >= set(row[2].split(","))]
        relation, sex, _, percent = draws.pick(fitting)
        same_surname, relative_of = float(percent) / 100, patient
    elif role in _PARENTS:
        sex, same_surname = _PARENTS[role]
        relative_of = patient
    person = names.person(draws, role, sex, unlisted, relative_of)
    person.relation = relation
    if relative_of is not None and draws.chance(same_surname):
        person.last = relative_of.last
    person.title = draws.pick(words.get(f"{role}-titles") or words[f"{sex}-titles"])
    if role in ("doctor", "nurse", "reporter"):
        person.degree = draws.pick(words["nurse-degrees" if role == "nurse" else "doctor-degrees"])
    if sex == "male" and draws.chance(0.03):
        person.suffix = draws.pick(words["suffixes"])
    return person
