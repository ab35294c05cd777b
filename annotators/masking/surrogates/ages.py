"""Ages that differ a little."""

from __future__ import annotations

import re

from ...dates.numerals import CARDINAL, cardinal
from .keyed_choices import KeyedChoices

_NUMBER = re.compile(rf"\d+|\b{CARDINAL}\b", re.IGNORECASE)
_HIGHEST = 89


def other_age(text: str, draws: KeyedChoices) -> str | None:
    """The text with its one number changed by one or two, upwards only below 3, never above 89; None where there is not just
    one number."""
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    said = found[0].group()
    age = int(said) if said.isdecimal() else cardinal(said)
    if age is None:
        return None
    steps = [s for s in (-2, -1, 1, 2) if 1 <= age + s <= max(_HIGHEST, age - 1) and (age > 2 or s > 0)]
    new = age + draws.choice(steps, "age", str(age))
    return f"{text[: found[0].start()]}{new}{text[found[0].end() :]}"
