"""Named plausibility checks that may veto a match: text that only looks like an identifier. Checksums are not filters."""

from __future__ import annotations

from ...pipeline.errors import nearest
from .validators import VALIDATORS, NamedCheck, digits, registrar

FILTERS: dict[str, NamedCheck] = {}
hit_filter = registrar(FILTERS, "filter")
"""Registers a check under a name, for `filter: name` in rule files; a match that fails the check is dropped."""


def find_filter(name: str) -> NamedCheck:
    """Return the filter called `name`. Raises LookupError with the nearest name, or the reason why it is a validator."""
    if name in FILTERS:
        return FILTERS[name]
    if name in VALIDATORS or name.startswith("stdnum."):
        why = "a failed checksum never vetoes masking"
        raise LookupError(f"{name} is a validator, and {why}: write `validator: {name}`")
    raise LookupError(f"no filter called {name!r}{nearest(name, FILTERS)}")


@hit_filter("has_digit")
def has_digit(text: str) -> bool:
    """It contains a digit."""
    return any(c.isdigit() for c in text)


@hit_filter("has_letter_and_digit")
def has_letter_and_digit(text: str) -> bool:
    """It contains a letter and a digit."""
    return any(c.isalpha() for c in text) and has_digit(text)


@hit_filter("has_digit_or_upper")
def has_digit_or_upper(text: str) -> bool:
    """It contains a digit, or is entirely in upper case."""
    return has_digit(text) or text.isupper()


def _enter_lengths() -> None:
    """Register filters for the least number of letters and digits, or of digits."""
    numbers = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven"}
    for least, word in numbers.items():

        def characters(text: str, least: int = least) -> bool:
            return sum(c.isalnum() for c in text) >= least

        def enough_digits(text: str, least: int = least) -> bool:
            return len(digits(text)) >= least

        characters.__doc__ = f"It has at least {word} letters and digits."
        enough_digits.__doc__ = f"It has at least {word} digits."
        characters.__qualname__, enough_digits.__qualname__ = f"{word}_characters", f"{word}_digits"
        hit_filter(f"{word}_characters")(characters)
        hit_filter(f"{word}_digits")(enough_digits)


_enter_lengths()


@hit_filter("sixteen_characters")
def sixteen_characters(text: str) -> bool:
    """It has exactly sixteen letters and digits."""
    return sum(c.isalnum() for c in text) == 16
