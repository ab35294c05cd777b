"""Other ages in the form of the old ones."""

from __future__ import annotations

import re

from ...synthetic.draws import Draws
from .letters import like

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = re.compile(
    rf"(?i)\b(?:(?:{'|'.join(_TENS)})(?:[\s-]+(?:{'|'.join(_ONES[:9])})\b)?|(?:{'|'.join(reversed(_ONES))})\b)"
)
_NUMBER = re.compile(r"\d+")
_SMALL = re.compile(
    r"(?i)\b(?:mo|mos|month|months|mth|mths|wk|wks|week|weeks|w|d|day|days|hr|hrs|hour|hours)\b|\d\s*/\s*(?:12|52|7)\b"
)
OLDEST = 104


class Ages:
    """Replaces the ages of one document; equal numbers get equal numbers. `fertile`: the document is about pregnancy."""

    def __init__(self, draws: Draws, *, fertile: bool = False) -> None:
        self._draws, self._fertile = draws, fertile
        self._memo: dict[tuple[int, bool, bool], int] = {}

    def age(self, text: str, *, old: bool = False) -> str:
        """Return another age. `old`: of a kind that means over 89."""
        small = bool(_SMALL.search(text))
        if match := _NUMBER.search(text):
            new = str(self._number(int(match[0]), small, old))
            return text[: match.start()] + new + text[match.end() :]
        if match := _WORDS.search(text):
            new = _spoken(self._number(_value(match[0]), small, old))
            if "-" not in match[0] and " " in match[0]:
                new = new.replace("-", " ")
            new = like(new.capitalize() if match[0][0].isupper() else new, match[0])
            return text[: match.start()] + new + text[match.end() :]
        return text

    def _number(self, number: int, small: bool, old: bool) -> int:
        key = (number, small, old)
        if key not in self._memo:
            self._memo[key] = self._drawn(*key)
        return self._memo[key]

    def _drawn(self, number: int, small: bool, old: bool) -> int:
        draws = self._draws
        if old:
            return draws.between(90, OLDEST)
        if small:
            return draws.between(1, 11) if number < 12 else draws.between(12, 30)
        if number < 18:
            return draws.between(1, 17)
        if number > 130:
            return number
        if self._fertile and number < 50:
            return draws.between(18, 46)
        if draws.chance(0.5):
            return min(max(number + draws.between(-12, 12), 18), OLDEST)
        return draws.between(90, OLDEST) if draws.chance(0.16) else draws.between(18, 92)


def _value(words: str) -> int:
    parts = re.findall(r"[a-z]+", words.lower())
    return sum(_ONES.index(p) + 1 if p in _ONES else 10 * (_TENS.index(p) + 2) for p in parts)


def _spoken(number: int) -> str:
    if number > 99:
        rest = number - 100
        return f"one hundred and {_spoken(rest)}" if rest else "one hundred"
    if number < 20:
        return _ONES[number - 1]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones - 1]}" if ones else "")
