"""Case, digits and letters of one value in the form of another."""

from __future__ import annotations

import re
import string
import unicodedata

from ...synthetic.draws import Draws

_DIGIT_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SPOKEN = re.compile(rf"(?i)\b(?:{'|'.join(_DIGIT_WORDS)}|oh)\b")
_LETTERS = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"\d+")
_UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def like(new: str, old: str) -> str:
    """Return the new value in upper case if the old one is, in lower case if the old one is, else as it is."""
    letters = [c for c in old if c.isalpha()]
    if len(letters) > 1 and old.isupper():
        return new.upper()
    if letters and old.islower():
        return new.lower()
    return new


def natural(value: str) -> str:
    """Return a value of one case with capitals at its words, any other as it is."""
    return (
        value if not (value.isupper() or value.islower()) else re.sub(r"[^\W\d_]+", lambda m: m[0].capitalize(), value)
    )


def key_of(value: str) -> str:
    """Return what two mentions of one value have in common: case, and the form of white space, do not count."""
    return " ".join(value.casefold().split())


def plain(value: str) -> str:
    """Return the letters and digits of a value in lower case without accents, as addresses and user names have them."""
    bare = unicodedata.normalize("NFKD", value.lower().replace("ø", "o").replace("ł", "l").replace("ß", "ss"))
    return "".join([c for c in bare if c.isascii() and c.isalnum()])


def other_digits(value: str, draws: Draws, *, spoken: bool = True) -> str:
    """Return the value with other digits. A number keeps leading zeros; `spoken`: change digits written as words, too."""
    value = _DIGITS.sub(lambda match: _number(match[0], draws), value)
    return _SPOKEN.sub(lambda match: like(draws.pick(_DIGIT_WORDS), match[0]), value) if spoken else value


def _number(digits: str, draws: Draws) -> str:
    first = "0" if digits[0] == "0" else str(draws.between(1, 9))
    return first + "".join([str(draws.below(10)) for _ in digits[1:]])


def other_characters(value: str, draws: Draws) -> str:
    """Return the value with other digits and, for groups of one or two letters beside digits, mostly other letters."""
    if not any(c.isdecimal() for c in value):
        return (
            other_digits(value, draws) if _SPOKEN.search(value) else _LETTERS.sub(lambda m: _word(m[0], draws), value)
        )
    value = other_digits(value, draws)
    return _LETTERS.sub(lambda m: _word(m[0], draws) if len(m[0]) < 3 and draws.chance(0.6) else m[0], value)


def _word(letters: str, draws: Draws) -> str:
    return "".join([draws.pick(string.ascii_lowercase if c.islower() else _UPPER) for c in letters])
