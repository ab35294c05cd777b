"""Ages above a threshold, generalized so that the text still reads: `over 89 years old`."""

from __future__ import annotations

import re

from ....pipeline.storage.lazy_regex import lazy_regex
from ...dates.numerals import CARDINAL

_NUMBER = lazy_regex(rf"\d+(?:\.\d+)?|\b{CARDINAL}\b", re.IGNORECASE)
_DECADE = lazy_regex(r"(?i)\b(?:(?:early|mid|middle|late)[\s-]*)?(?:(?:1?\d0)['’]?s|(?:eigh|nine)ties|hundreds)\b")
_OLD_PERSON = lazy_regex(r"(?i)\b(?:octo|nona)genarians?\b|\b(?:super)?centenarians?\b")
_SHORTER_UNIT = lazy_regex(r"(?i)\b(?:months?|mos?|mths?|weeks?|wks?|days?)\b\.?")
_BIRTHDAY = lazy_regex(r"(?i)(?:st|nd|rd|th)\b")


def generalized(text: str, threshold: int, following: str = "") -> str:
    """Return the text of an age with `over` the threshold in place of its numbers.

    `92-year-old` becomes `over-89-year-old`, `92 years` `over 89 years`, `92F` `>89F`, `90s` `later years (over 89)`,
    `nonagenarian` `over-89-year-old`. `following` is the text after the age. Months, weeks and days become years.
    """
    adjective = f"over-{threshold}-year-old"
    if _OLD_PERSON.search(text):
        return _OLD_PERSON.sub(adjective, text)
    if _DECADE.search(text):
        return _DECADE.sub(f"later years (over {threshold})", text)
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return f"over {threshold}"
    first, last = numbers[0], numbers[-1]
    rest = text[last.end() :].removeprefix("+")
    after = rest + following
    if _BIRTHDAY.match(after):
        return f"{text[: first.start()]}over {threshold}"
    rest = _SHORTER_UNIT.sub("years" if not rest.startswith("-") else "year", rest)
    if after[:1].isalpha():
        new = f">{threshold}"
    elif re.match(r"[-‐‑–]\s?y", after, re.IGNORECASE) or rest.startswith("-year"):
        new = f"over-{threshold}"
    else:
        new = f"over {threshold}"
    return f"{text[: first.start()]}{new}{rest}"
