"""Finds the numbers and codes of the record with any separators, or if only their last digits are shown."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from .searchable_text import PhiMatch, SearchableText, fold, offsets_of

_GAP = lazy_regex(r"[\s\-./()+_,]{0,3}$")
_OPENING = lazy_regex(r"(?:\+|\(|\+\()$")
_MASKED = lazy_regex(r"(?:[x*#•.]{2,}[\s-]{0,2}){1,3}$")
_ENDING = lazy_regex(
    r"\b(?:ending|ends)(?:\s(?:in|with))?[\s:#]{1,2}$|\blast\s(?:4|four)(?:\sdigits)?(?:\s(?:are|is|of))?[\s:#]{1,2}$"
)
_NUMBER_CUE = lazy_regex(
    r"(?:\b(?:id|mrn|no|nr|num|number|record|case|chart|account|patient|subject|ref)\b\.?|#)\s?(?:is|was|[:#=])?\s?$"
)
_CHUNK = lazy_regex(r"[^\W_]+")
_SKIPPED = lazy_regex(r"[\s\-./()_#]{0,3}")
_DIGITS_ONLY = lazy_regex(r"[\d\s\-./()+]+$")


class NumberMatcher:
    """A number or code of the record. Values with fewer than three letters or digits are not looked for."""

    def __init__(self, value: str, kind: PhiKind) -> None:
        self.kind = kind
        self.whole = value.strip()
        folded = fold(self.whole)
        self.chunks = _CHUNK.findall(folded)
        self.digits = "".join(c for c in folded if c.isdigit())
        self.numeric = bool(self.digits) and _DIGITS_ONLY.match(folded) is not None
        self.value = self.digits if self.numeric else self.whole
        bare = self.digits.lstrip("0")
        self.bare = bare if kind.top.name == "ID" and len(bare) > 4 else ""
        """The number without leading zeros, if texts may write it with more or fewer of them."""
        self.forms = self._forms()

    def _forms(self) -> dict[str, int]:
        """Return digit strings that are this number -> minimum number of groups they must be written in."""
        if not self.numeric or len(self.digits) < 3:
            return {}
        if self.bare:
            return {self.bare: 1}
        forms = {self.digits: 1}
        if self.kind.top.name in ("PHONE", "FAX"):
            national = self.digits.lstrip("0")
            if (
                self.whole.startswith("+")
                or self.digits.startswith("00")
                or (len(national) == 11 and national[0] == "1")
            ):
                for code in range(1, 4):  # the country code has one to three digits
                    if len(national) - code >= 7:
                        forms.setdefault(national[code:], 1)
                        forms.setdefault("0" + national[code:], 1)
            elif len(self.digits) == 10:
                forms["1" + self.digits] = 1
            if len(national) >= 10:
                forms.setdefault(national[-7:], 2)  # the local number, only if it is written in groups
        return forms

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every occurrence of the number."""
        if self.forms:
            yield from self._runs(document)
        elif len("".join(self.chunks)) >= 3:
            yield from self._code(document)

    def _runs(self, document: SearchableText) -> Iterator[PhiMatch]:
        numbers, folded = document.numbers, document.folded
        for i, (begin, end, digits) in enumerate(numbers):
            runs = 1
            if self.bare:
                digits = digits.lstrip("0")
            while True:
                wanted = self.forms.get(digits)
                if wanted is not None and runs >= wanted and self._plausible(document, begin, end, digits):
                    before = _OPENING.search(folded, max(0, begin - 2), begin)
                    low = before.start() if before and (")" in folded[begin:end] or "+" in before.group()) else begin
                    yield PhiMatch(low, end, self.kind, 1.0, "known number", self.value)
                    break
                if i + runs == len(numbers) or not any(f.startswith(digits) for f in self.forms):
                    break
                following = numbers[i + runs]
                if following[0] - end > 3 or not _GAP.match(folded, end, following[0]):
                    break
                end, digits, runs = following[1], digits + following[2], runs + 1
                if self.bare:
                    digits = digits.lstrip("0")
            if len(self.digits) >= 6 and numbers[i][2] == self.digits[-4:]:
                begin, end = numbers[i][:2]
                masked = _MASKED.search(folded, max(0, begin - 16), begin)
                if masked or _ENDING.search(folded, max(0, begin - 28), begin):
                    yield PhiMatch(masked.start() if masked else begin, end, self.kind, 0.9, "known number, masked")

    def _plausible(self, document: SearchableText, begin: int, end: int, digits: str) -> bool:
        folded = document.folded
        if (begin and folded[begin - 1].isalpha() and len(digits) < 6) or (end < len(folded) and folded[end].isalpha()):
            return False
        if len(digits) > 3:
            return True
        return _NUMBER_CUE.search(folded, max(0, begin - 14), begin) is not None

    def _code(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield the occurrences of a code of letters and digits: its longest piece with the other pieces around it."""
        folded, chunks = document.folded, self.chunks
        core = max(range(len(chunks)), key=lambda i: len(chunks[i]))
        for core_begin in offsets_of(folded, chunks[core]):
            begin = self._left(folded, core_begin, core)
            end = self._right(folded, core_begin + len(chunks[core]), core)
            if begin is not None and end is not None:
                open_before = begin == 0 or not folded[begin - 1].isalnum()
                if open_before and (end == len(folded) or not folded[end].isalnum()):
                    yield PhiMatch(begin, end, self.kind, 1.0, "known code", self.value)

    def _left(self, folded: str, begin: int, core: int) -> int | None:
        for chunk in reversed(self.chunks[:core]):
            stop = begin
            while stop and begin - stop < 3 and folded[stop - 1] in " \t\n-./()_#":
                stop -= 1
            if not folded.startswith(chunk, stop - len(chunk)) or stop < len(chunk):
                return None
            begin = stop - len(chunk)
        return begin

    def _right(self, folded: str, end: int, core: int) -> int | None:
        for chunk in self.chunks[core + 1 :]:
            skipped = _SKIPPED.match(folded, end)
            start = skipped.end() if skipped else end
            if not folded.startswith(chunk, start):
                return None
            end = start + len(chunk)
        return end
