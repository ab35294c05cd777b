"""People: `{patient.full}`, `{doctor2.titled}`, `{relative.relation}`, `{nurse.he}`."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..people import KINDS, Person
from ..pools import Pools
from ..story import Story
from ..template import Slot

_NAME = re.compile(rf"({'|'.join(KINDS)})(\d?)\.([A-Za-z_]+)")
_PLAIN: dict[str, Callable[[Person], str]] = {
    "relation": lambda p: p.relation,
    "degree": lambda p: p.degree,
    "title": lambda p: p.title,
}
_INITIALS = "initials"
_TITLED = ("titled", "titled_full")


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
    match = _NAME.fullmatch(name)
    if match is None or argument:
        return None
    role, key, form = match[1], match[1] + match[2], match[3]
    if form in pools.names:
        return _name(key, role, form, pools)
    if form == "email":
        return Slot(lambda story: _email(story, story.person(key), pools), phi=True)
    if form in _PLAIN:
        part = _PLAIN[form]
        return Slot(lambda story: story.out.append((part(story.person(key)), "")))
    if any(row[0] == form for row in pools.sexed):
        return Slot(lambda story: story.out.append((sexed(story, form, story.person(key)), "")))
    return None


def _name(key: str, role: str, form: str, pools: Pools) -> Slot:
    patterns = pools.names[form]
    kind = "PERSON_INITIALS" if form.startswith(_INITIALS) else "PERSON_USERNAME" if form == "user" else KINDS[role]
    grown = pools.names["first"] if form in _TITLED else patterns

    def run(story: Story) -> None:
        person = story.person(key)
        several = grown if role == "patient" and "minor" in story.facts else patterns
        pattern = several[story.favourite(f"{form} {len(several)}", len(several), 0.6)]
        story.out += pattern.pieces(person, kind, story.shape)

    return Slot(run, phi=True)


def _email(story: Story, person: Person, pools: Pools) -> None:
    """Add the person's user name at an invented domain."""
    patterns = pools.names["user"]
    start = len(story.out)
    story.out += patterns[story.favourite(f"user of {person.role}", len(patterns), 1.0)].pieces(person, "")
    story.out.append(("@", ""))
    pools.lists["domain"].run(story)
    address = "".join([text for text, _ in story.out[start:]])
    story.out[start:] = [(address, "EMAIL")]


def sexed(story: Story, word: str, person: Person) -> str:
    """Return a word that depends on a person's sex, and on the age of the patient: `he`, `man`, `Ms.`."""
    column = 3 if person.sex == "female" else 2
    facts = story.facts if person.role == "patient" else ("grown",)
    for row in story.vocabulary.sexed:
        if row[0] == word and (row[1] == "any" or row[1] in facts):
            return row[column]
    return word
