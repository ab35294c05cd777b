"""Slots of the facts of a story: people, dates, ages and places.

People: `{patient.full}`, `{doctor2.titled}`, `{relative.relation}`, `{nurse.he}`. Ages: `{age.adjective}` of the patient,
`{age.noun 30-70}` of another person. Dates: `{date}` advances in time, `{date same}` does not, `{date birth numeric}` gives the
day and the format. Places: `{city}`, `{state}`, `{state.code}`, `{zip}` and `{country}` of the patient's town; `{city other}` is
another town, `{state other}` and `{country other}` are those of the other town mentioned last. `{address}` is the patient's
address, `{address office}` one in the same town.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from ..names import Place
from ..pattern import KINDS, Age, Person, moved
from ..pools import Pools
from ..story import Story
from ..template import Slot, limits

_NAME = re.compile(rf"({'|'.join(KINDS)})(\d?)\.([A-Za-z_]+)")
_PLAIN: dict[str, Callable[[Person], str]] = {
    "relation": lambda p: p.relation,
    "degree": lambda p: p.degree,
    "title": lambda p: p.title,
}
_INITIALS = "initials"
_TITLED = ("titled", "titled_full")


def person_slot(name: str, argument: str, pools: Pools) -> Slot | None:
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
        pattern = several[story.favorite(f"{form} {len(several)}", len(several), 0.6)]
        story.out += pattern.pieces(person, kind, story.shape)

    return Slot(run, phi=True)


def _email(story: Story, person: Person, pools: Pools) -> None:
    """Add the person's user name at an invented domain."""
    patterns = pools.names["user"]
    start = len(story.out)
    story.out += patterns[story.favorite(f"user of {person.role}", len(patterns), 1.0)].pieces(person, "")
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


Day = Callable[[Story], datetime.date]


def _once(key: str, low: int, high: int) -> Day:
    """Return a day that is fixed at the first use: some days after the current day."""

    def day(story: Story) -> datetime.date:
        if key not in story.days:
            story.days[key] = story.ahead(low, high)
        return story.days[key]

    return day


def _discharge(story: Story) -> datetime.date:
    """Return the end of the stay; no later date is part of it."""
    if story.limit is None:
        story.limit = moved(max(story.anchor, story.day), story.draws.between(2, 14))
    return story.limit


def _before(low: int, high: int) -> Day:
    """Return a day before the story's anchor, but after the patient's birth."""

    def day(story: Story) -> datetime.date:
        past = moved(story.anchor, -story.draws.between(low, high))
        return max(past, moved(story.birth, story.draws.between(1, 60)))

    return day


def _after(low: int, high: int) -> Day:
    return lambda story: moved(story.day, story.draws.between(low, high))


WHICH: dict[str, Day] = {
    "next": lambda story: story.ahead(0, 4),
    "same": lambda story: story.day,
    "later": lambda story: story.ahead(5, 60),
    "anchor": lambda story: story.anchor,
    "birth": lambda story: story.birth,
    "past": _before(60, 9000),
    "recent": _before(3, 60),
    "lately": _before(60, 350),
    "future": _after(5, 200),
    "discharge": _discharge,
    "report": _once("report", 1, 40),
    "death": _once("death", 0, 12),
    "expiry": _after(60, 700),
}
"""The day of a date slot."""
_KINDS = {"birth": "DATE_BIRTH", "death": "DATE_DEATH"}


def date_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "weekday":
        return _slot("next", "weekday", pools)
    if name != "date":
        return None
    which, family = "next", ""
    for word in argument.split():
        if word in WHICH:
            which = word
        elif any(key.split()[0] == word for key in pools.dates):
            family = word
        else:
            families = sorted({key.split()[0] for key in pools.dates})
            raise ValueError(f"date: expected one of {', '.join((*WHICH, *families))}, got {word}")
    return _slot(which, family, pools)


def _slot(which: str, family: str, pools: Pools) -> Slot:
    day, kind = WHICH[which], _KINDS.get(which, "DATE")

    def run(story: Story) -> None:
        chosen = family or story.date_family()
        patterns = pools.dates.get(f"{chosen} {story.order}") or pools.dates[chosen]
        pattern = patterns[story.favorite(f"date {chosen}", len(patterns), 0.92)]
        pieces = pattern.pieces(day(story), kind)
        story.out += [(text, kind if marked and kind != "DATE" else marked) for text, marked in pieces]

    return Slot(run, phi=True)


_UNITS = ("year", "month", "week", "day")


def age_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    head, dot, form = name.partition(".")
    if head != "age" or not dot:
        return None
    if f"{form} year" not in pools.ages:
        raise ValueError(f"age: expected a form of ages.txt, got {form}")
    forms = {unit: pools.ages.get(f"{form} {unit}") or pools.ages[f"{form} year"] for unit in _UNITS}
    years = limits(argument) if argument else None

    def run(story: Story) -> None:
        if years is None:
            age = Age(max((story.day - story.birth).days, 1), story.patient.sex)
        else:
            sex = "female" if story.draws.chance(0.5) else "male"
            age = Age(int(story.draws.between(*years) * 365.25) + story.draws.between(1, 360), sex)
        patterns = forms[age.unit]
        pattern = patterns[story.favorite(f"age {form} {age.unit}", len(patterns), 0.5)]
        story.out += pattern.pieces(age, age.kind)

    return Slot(run, phi=True)


_PARTS: dict[str, tuple[Callable[[Place], str], str]] = {
    "city": (lambda p: p.city, "LOCATION_CITY"),
    "state": (lambda p: p.state or p.country, "LOCATION_STATE"),
    "state.code": (lambda p: p.code or p.country, "LOCATION_STATE"),
    "zip": (lambda p: p.zip, "LOCATION_ZIP"),
    "country": (lambda p: p.country, "LOCATION_COUNTRY"),
}
"""Slot -> part of a place, PHI kind. The country replaces the state if the country has no listed states."""


def place_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "address":
        name = {"": "address", "office": "office"}.get(argument, "")
        if not name:
            raise ValueError(f"address: expected nothing or 'office', got {argument}")
        home = pools.places.home
        return Slot(
            lambda story: pools.lists[name if story.home.country == home else f"{name}-abroad"].run(story), phi=True
        )
    if name not in _PARTS:
        return None
    if argument not in ("", "other"):
        raise ValueError(f"{name}: expected nothing or 'other', got {argument}")
    part, kind = _PARTS[name]

    def run(story: Story) -> None:
        place = story.other_place(name == "city") if argument else story.home
        no_state = kind == "LOCATION_STATE" and not place.state
        story.out.append((story.shape(part(place)), "LOCATION_COUNTRY" if no_state else kind))

    return Slot(run, phi=True)
