"""Who the people of a document are: titles, degrees, and how relatives are related to the patient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .people import Person

if TYPE_CHECKING:
    from .library import Library
    from .story import Story

_PARENTS = {"mother": ("female", 0.7), "father": ("male", 0.9)}
"""Sex of a parent, and the share of those with the patient's surname."""


def cast(story: Story, role: str, sex: str) -> Person:
    """Somebody for a role. A relative's relation, sex and surname follow from the patient."""
    library, draws = story.library, story.draws
    words = library.words
    relation, same, kin = "", 0.0, None
    if role == "relative":
        relation, sex, same = _relation(library, story)
        kin = story.patient
    elif role in _PARENTS:
        sex, same = _PARENTS[role]
        kin = story.patient
    person = story.names.person(draws, role, sex, story.unlisted, kin)
    person.relation = relation
    if kin is not None and draws.chance(same):
        person.last = kin.last
    person.title = draws.pick(words.get(f"{role}-titles") or words[f"{sex}-titles"])
    if role in ("doctor", "nurse", "reporter"):
        person.degree = draws.pick(words["nurse-degrees" if role == "nurse" else "doctor-degrees"])
    if sex == "male" and draws.chance(0.03):
        person.suffix = draws.pick(words["suffixes"])
    return person


def _relation(library: Library, story: Story) -> tuple[str, str, float]:
    """A relation that fits the patient: its word, the relative's sex, the share of those with the same surname."""
    fitting = [row for row in library.relations if row[2] == "any" or story.facts.issuperset(row[2].split(","))]
    word, sex, _, same = story.draws.pick(fitting)
    return word, sex, float(same) / 100
