"""Finds the age of the record, in digits or words: `58-year-old`, `aged 58`, `58 y/o`, `fifty eight year old`."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..dates.numerals import TENS, UNITS
from .searchable_text import PhiMatch, SearchableText, fold, offsets_of

_UNITS = {
    "year": r"(?:years?|yrs?|yr)",
    "month": r"(?:months?|mos?|mths?)",
    "week": r"(?:weeks?|wks?)",
    "day": r"(?:days?)",
}
_SHORT = {"year": r"|\s?y\s?[./]?\s?o\b\.?(?:\s?f\b|\s?m\b)?|\s?yo[fm]\b", "month": r"|\s?m[./]?o\b"}
_OF_UNIT = {unit: lazy_regex(rf"(?:\s?-\s?|\s*){word}\b") for unit, word in _UNITS.items()}
_OLD = {
    unit: lazy_regex(rf"(?:\s?-\s?|\s*){word}\.?(?:'s)?(?:\s?-\s?|\s+)(?:olds?\b|of\s+age\b){_SHORT.get(unit, '')}")
    for unit, word in _UNITS.items()
}
_UNIT_OF = lazy_regex(r"(year|yr|y|month|mo|m|week|wk|w|day|d|801|802|803|804|a)")
"""Units in records: words, UCUM codes, and the codes 801 to 804 of E2B(R2)."""
_NAMES = {
    **dict.fromkeys(("year", "yr", "y", "a", "801"), "year"),
    **dict.fromkeys(("month", "mo", "m", "802"), "month"),
    **dict.fromkeys(("week", "wk", "w", "803"), "week"),
    **dict.fromkeys(("day", "d", "804"), "day"),
}
_VALUE = lazy_regex(r"(\d{1,3})(?:\.0*)?\s*[-_]?\s*(?:([a-z]+|80[1-4])\b)?")
_BEFORE = lazy_regex(r"\b(?:aged?|age\s+of|ages?\s?[:=]?|age\s+is|age\s+was|turned|turning)[\s:=-]{0,3}$")
_KEPT = lazy_regex(r"(?:\bage[d]?\s+(?:of\s+)?|\bage\s?[:=]\s?)$")
_SEXED = lazy_regex(r"\s?[- ]?(?:male|female|man|woman|gentleman|lady|boy|girl)\b")
_LETTER = lazy_regex(r"[MF]\b")
_SPACED_LETTER = lazy_regex(r"\s[MF]\b")
_BEGINS = lazy_regex(r"(?:^|[\n:;(]|\b(?:a|an|is|was|pt|patient|this))\s*$")


def in_words(number: int) -> list[str]:
    """Return the usual spellings of a number from 0 to 129 in English words."""
    if number < 20:
        return [UNITS[number]]
    if number < 100:
        tens, ones = TENS[number // 10 - 2], number % 10
        return [tens] if not ones else [f"{tens}-{UNITS[ones]}", f"{tens} {UNITS[ones]}"]
    rest = number - 100
    if not rest:
        return ["one hundred", "a hundred"]
    return [f"{head} hundred{link} {tail}" for head in ("one", "a") for link in ("", " and") for tail in in_words(rest)]


class AgeMatcher:
    """Finds an age of the record. `value` is a number, with a unit unless it is years: `58`, `58.0`, `22-month`."""

    def __init__(self, value: str, kind: PhiKind) -> None:
        match = _VALUE.search(fold(value))
        self.number = int(match.group(1)) if match else -1
        unit = _UNIT_OF.match(match.group(2)) if match and match.group(2) else None
        self.unit = _NAMES.get(unit.group(1), "year") if unit else "year"
        over = kind is PhiKind.AGE and self.unit == "year" and self.number > 89
        self.kind = PhiKind.AGE_OVER_89 if over else kind
        self._after, self._of_unit = _OLD[self.unit], _OF_UNIT[self.unit]
        self.value = f"{self.number} {self.unit}s"
        self.words = in_words(self.number) if 0 <= self.number < 130 else []

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every statement of this age."""
        if self.number < 0:
            return
        numbers = list(self._numeric(document.folded))
        numbers += [(begin, begin + len(w)) for w in self.words for begin in document.word_offsets(w)]
        for begin, end in sorted(numbers):
            span = self._span(document, begin, end)
            if span:
                yield PhiMatch(*span, self.kind, 1.0, "known age", self.value)

    def _numeric(self, folded: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the number in digits; letters may follow it directly, as in `58yo`."""
        digits = str(self.number)
        for begin in offsets_of(folded, digits):
            end = begin + len(digits)
            if not (begin and folded[begin - 1].isalnum()) and not folded[end : end + 1].isdigit():
                yield begin, end

    def _span(self, document: SearchableText, begin: int, end: int) -> tuple[int, int] | None:
        """Return the span of the age that contains a number, or None if the number is not an age."""
        folded = document.folded
        if begin and (
            folded[begin - 1].isalnum() or (folded[begin - 1] in "./$" and folded[begin - 2 : begin - 1].isdigit())
        ):
            return None
        cue = _BEFORE.search(folded, max(0, begin - 14), begin)
        kept = _KEPT.search(folded, max(0, begin - 10), begin)
        low = kept.start() if kept else begin
        after = self._after.match(folded, end)
        if after:
            return low, after.end()
        if cue:
            unit = self._of_unit.match(folded, end)
            if unit:
                return low, unit.end()
            if end == len(folded) or not (
                folded[end].isalnum() or (folded[end] in ".,/-" and folded[end + 1 : end + 2].isdigit())
            ):
                return low, end
            return None
        sexed = _SEXED.match(folded, end)
        if sexed and self.unit == "year":
            return begin, end
        if self.unit == "year" and 1 < self.number < 95:  # higher ones may be degrees
            spaced = _SPACED_LETTER.match(document.text, end) and _BEGINS.search(folded, max(0, begin - 9), begin)
            if spaced or _LETTER.match(document.text, end):
                return begin, end
        unit = self._of_unit.match(folded, end)
        if unit and _SEXED.match(folded, unit.end()):
            return begin, unit.end()
        return None
