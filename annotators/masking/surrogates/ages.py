"""Surrogates of ages: slightly different ages."""

from __future__ import annotations

import re

from ...dates.numerals import CARDINAL, cardinal
from .keyed_choices import KeyedChoices

_NUMBER = re.compile(rf"\d+|\b{CARDINAL}\b", re.IGNORECASE)
_HIGHEST = 89


def other_age(text: str, choices: KeyedChoices) -> str | None:
    """Return the text with its number changed by one or two, upwards only below 3, never above 89; None unless there is exactly
    one number."""
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return None
    number = numbers[0].group()
    age = int(number) if number.isdecimal() else cardinal(number)
    if age is None:
        return None
    steps = [s for s in (-2, -1, 1, 2) if 1 <= age + s <= max(_HIGHEST, age - 1) and (age > 2 or s > 0)]
    new = age + choices.choice(steps, "age", str(age))
    return f"{text[: numbers[0].start()]}{new}{text[numbers[0].end() :]}"
