"""Ages: `{age.adjective}` of the patient, `{age.noun 30-70}` of another person."""

from __future__ import annotations

from ..ages import Age
from ..pools import Pools
from ..story import Story
from ..template import Slot
from .numbers import limits

_UNITS = ("year", "month", "week", "day")


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
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
        pattern = patterns[story.favourite(f"age {form} {age.unit}", len(patterns), 0.5)]
        story.out += pattern.pieces(age, age.kind)

    return Slot(run, phi=True)
