"""Numbers in words, as in dates and ages: `twenty-first`, `two thousand and ten`, `ninety-two`."""

from __future__ import annotations

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
).split()

_VALUES: dict[str, int] = {word: i for i, word in enumerate(UNITS)}
_VALUES.update((word, 10 * i) for i, word in enumerate(TENS, 2))
_VALUES["fourty"] = 40

ORDINALS: dict[str, int] = {word: i for i, word in enumerate(_ORDINALS, 1)}
"""Days of the month in words, with hyphens and with spaces: first ... thirty-first."""
ORDINALS.update(
    {"twentieth": 20, "thirtieth": 30, "thirty-first": 31, "thirty first": 31},
    **{f"twenty{joint}{word}": 20 + i for joint in "- " for i, word in enumerate(_ORDINALS[:9], 1)},
)

_BELOW_TEN = "|".join(UNITS[1:10])
_BELOW_TWENTY = "|".join(sorted(UNITS[1:], key=len, reverse=True))
_TENS = "|".join([*TENS, "fourty"])
_TWO_DIGITS = rf"(?:(?:{_TENS})(?:[- ](?:{_BELOW_TEN}))?|{_BELOW_TWENTY})"

CARDINAL = rf"(?:(?:(?:one|a)[ -])?hundred(?:[ -](?:and[ -])?{_TWO_DIGITS})?|{_TWO_DIGITS})"
"""Pattern of one to one hundred and ninety-nine in words."""
ORDINAL = "(?:" + "|".join(sorted(ORDINALS, key=lambda word: (-len(word), word))) + ")"
"""Pattern of a day of the month in words."""
YEAR = (
    rf"(?:two[ -]thousand(?:[ -](?:and[ -])?{_TWO_DIGITS})?"
    rf"|(?:nineteen|twenty)[ -](?:(?:oh|o|hundred)[ -](?:and[ -])?(?:{_BELOW_TEN})|{_TWO_DIGITS}))"
)
"""Pattern of a year from 1901 to 2099 in words."""


def cardinal(words: str) -> int | None:
    """Return the number that `words` express, up to 199; None if they are not a number."""
    total = 0
    parts = words.lower().replace("-", " ").split()
    for part in parts:
        if part == "hundred":
            total = 100 * max(total, 1)
        elif part in _VALUES:
            total += _VALUES[part]
        elif part not in ("a", "and"):
            return None
    return total if any(part in _VALUES or part == "hundred" for part in parts) else None


def ordinal(words: str) -> int | None:
    """Return the day of the month that `words` express, or None."""
    return ORDINALS.get(" ".join(words.lower().split())) or ORDINALS.get(words.lower())


def year(words: str) -> int | None:
    """Return the year that `words` express, or None: `two thousand and ten`, `nineteen ninety-nine`, `twenty oh five`."""
    parts = words.lower().replace("-", " ").split()
    if parts[:2] == ["two", "thousand"]:
        rest = cardinal(" ".join(parts[2:])) if parts[2:] else 0
        return None if rest is None else 2000 + rest
    if not parts or parts[0] not in ("nineteen", "twenty"):
        return None
    rest = cardinal(" ".join(p for p in parts[1:] if p not in ("oh", "o", "hundred")))
    return None if rest is None else 100 * _VALUES[parts[0]] + rest if parts[0] == "nineteen" else 2000 + rest
