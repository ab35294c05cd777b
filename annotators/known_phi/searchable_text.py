"""A document prepared for matching: text, folded text of the same length, its numbers, and the evidence around a span."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind

_INVISIBLE = lazy_regex("[\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff]+")
_WIDTHS = ("<wide>", "<narrow>", "<font>")

_LETTERS = {
    "ß": "s", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "a", "œ": "o", "þ": "t", "ħ": "h",
    "‘": "'", "’": "'", "ʼ": "'", "´": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip

_EXPANDED = {
    "ß": "ss", "ø": "oe", "æ": "ae", "œ": "oe", "ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "þ": "th", "đ": "dj",
}  # fmt: skip


class _FoldTable(dict[int, str]):
    """A table for `str.translate`, filled on demand."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        low = char.lower()
        if char.isdecimal():
            folded = str(unicodedata.decimal(char))
        elif unicodedata.decomposition(low[:1]).startswith(_WIDTHS):  # `\uff2d`, the full-width M
            folded = unicodedata.normalize("NFKD", low)[:1]
        else:
            folded = _LETTERS[low] if low in _LETTERS else unicodedata.normalize("NFD", low)[:1] or char
        self[code] = folded
        return folded


_FOLD_TABLE = _FoldTable()


def fold(text: str) -> str:
    """Return the text in lower case, letters without diacritics, digits in ASCII, dashes, apostrophes and widths unified.

    The result has the same length.
    """
    return text.lower() if text.isascii() else text.translate(_FOLD_TABLE)


def without_invisible(text: str) -> tuple[str, list[int]]:
    """Return the text without combining diacritics and invisible characters, and the offset in `text` of each code point.

    The list is empty if no character was left out, so that the offsets are the same.
    """
    if text.isascii() or _INVISIBLE.search(text) is None:
        return text, []
    parts, offsets, begin = list[str](), list[int](), 0
    for low, high in (*(m.span() for m in _INVISIBLE.finditer(text)), (len(text), len(text))):
        parts.append(text[begin:low])
        offsets += range(begin, low)
        begin = high
    return "".join(parts), offsets


def compose(value: str) -> str:
    """Return a value with each letter and its diacritics in one code point, without invisible characters."""
    return value if value.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFC", value))


def spelling_variants(word: str) -> list[str]:
    """Return the folded forms of a word, plain and with umlauts and ligatures written out: `Müller` -> `muller`, `mueller`."""
    plain = fold(word)
    if word.isascii():
        return [plain]
    written = fold("".join(_EXPANDED.get(c, c) for c in unicodedata.normalize("NFC", word.lower())))
    return [plain] if written == plain else [plain, written]


def offsets_of(folded: str, piece: str) -> Iterator[int]:
    """Yield the offsets of `piece`, also inside words and overlapping."""
    begin = folded.find(piece)
    while begin >= 0:
        yield begin
        begin = folded.find(piece, begin + 1)


def whole_word_offsets(folded: str, word: str) -> Iterator[int]:
    """Yield the offsets of `word` in a folded text, if no letter or digit touches it."""
    size, limit = len(word), len(folded)
    for begin in offsets_of(folded, word):
        end = begin + size
        if not (begin and folded[begin - 1].isalnum()) and not (end < limit and folded[end].isalnum()):
            yield begin


_NUMBER = lazy_regex(r"\d+")
_RUN = lazy_regex(r"[^\W_]+")
_INDEXED = 8_000
"""Length in code points from which words are looked up in an index, so that time does not grow with text times values."""

_TITLES = (
    "mr|mrs|ms|miss|mx|mister|missus|dr|drs|doctor|prof|professor|nurse|sister|sir|madam|madame|mme|mlle|monsieur|frau|"
    "herr|senor|senora|sra|rev|reverend|capt|captain|sgt|lt|col|judge|aunt|uncle|cousin|grandma|grandpa"
)
_END = r"[\s.,:;=-]{0,3}[\"(]?$"
_TITLE = lazy_regex(
    rf"""(?: \b(?:{_TITLES})\s?\.?
        | \b(?:name(?:d|'s|\ is|\ was)?|surname|called|calls|signed|alias)
      ){_END}""",
    re.VERBOSE,
)
_GREETING = lazy_regex(
    rf"""(?: \b(?:hi|hey|hello|dear|bye|goodbye|thanks|thank\ you|good\ (?:morning|afternoon|evening)|welcome)
        | \b(?:i'm|i\ am|this\ is|meet|seeing)
        | \b(?:seen|reported|written|dictated|treated|prescribed|assisted|accompanied|referred|cared\ for)\ by
      ){_END}""",
    re.VERBOSE,
)
_PERSON = lazy_regex(
    rf"""\b(?:patient|pt|client|subject|mother|father|husband|wife|son|daughter|brother|sister|partner|friend|regards
         |sincerely|initials)(?:'s\ name)?(?:\ is|\ was)?{_END}""",
    re.VERBOSE,
)
_IDENTIFIED = lazy_regex(
    r"""\s+(?:is|was)\s+(?:an?\s+)?(?:\w+\s+){0,3}\d
      | \s*[,.]?\s+(?:n-\s+)?(?:date\ of\ birth|dob|d\.o\.b|mrn|medical\ record|born\b)""",
    re.VERBOSE,
)
_ACTING = lazy_regex(
    r"""\s+(?:is|was)\s+(?:here|seen|an?\s+(?:pleasant|very))
      | \s+(?:reports|reported|states|stated|denies|denied|complain(?:s|ed)|presents|presented|endorses|endorsed|says|said
             |returns|returned|tells|told|notes|noted|describes|described|underwent|received|experienced)\b
      | '?s\s+(?:mother|father|wife|husband|son|daughter|family|parents|sister|brother|doctor|physician)\b""",
    re.VERBOSE,
)
_PAUSE_BEFORE = lazy_regex(r"(?:^|[\n.?!,;:\])>-])\s*$")
_PAUSE_AFTER = lazy_regex(r"\s*(?:[,.?!\n]|$)")


class PhiMatch(NamedTuple):
    """A match of a value of the record: span, kind, confidence, rule and normalized value."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str
    value: str = ""


class SearchableText:
    """A text with the properties that matchers need. Offsets in `folded` are offsets in `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self.lower_case = text == self.folded if text.isascii() else text == text.lower()
        """No capitals at all, as in transcripts of speech, so that case is not evidence."""

    @cached_property
    def numbers(self) -> list[tuple[int, int, str]]:
        """Every run of digits, as (begin, end, digits in ASCII)."""
        return [(m.start(), m.end(), m.group()) for m in _NUMBER.finditer(self.folded)]

    def each_number(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of every run of digits, without a list of those of a long text."""
        if len(self.folded) < _INDEXED:
            yield from ((begin, end) for begin, end, _ in self.numbers)
        else:
            yield from (m.span() for m in _NUMBER.finditer(self.folded))

    @cached_property
    def _runs(self) -> dict[str, list[int]]:
        """The offsets of every run of letters and digits."""
        index: dict[str, list[int]] = {}
        for m in _RUN.finditer(self.folded):
            index.setdefault(m.group(), []).append(m.start())
        return index

    def word_offsets(self, phrase: str) -> Iterator[int]:
        """Yield the offsets of a folded word or phrase, if no letter or digit touches it."""
        if len(self.folded) < _INDEXED:
            yield from whole_word_offsets(self.folded, phrase)
            return
        runs = [(m.start(), self._runs.get(m.group(), ())) for m in _RUN.finditer(phrase)]
        if not runs:
            yield from whole_word_offsets(self.folded, phrase)
            return
        at, offsets = min(runs, key=lambda run: len(run[1]))  # the rarest word of the phrase
        for offset in offsets:
            begin = offset - at
            if begin >= 0 and self.folded.startswith(phrase, begin) and self._is_whole(begin, begin + len(phrase)):
                yield begin

    def _is_whole(self, begin: int, end: int) -> bool:
        """Return whether no letter or digit touches a span."""
        folded = self.folded
        return not (begin and folded[begin - 1].isalnum()) and not (end < len(folded) and folded[end].isalnum())

    def word_at(self, offset: int) -> tuple[int, int]:
        """Return begin and end of the run of letters and digits around an offset."""
        folded = self.folded
        begin = end = offset
        while begin and folded[begin - 1].isalnum():
            begin -= 1
        while end < len(folded) and folded[end].isalnum():
            end += 1
        return begin, end

    def cue(self, begin: int, end: int) -> int:
        """Return the strength of the words around a span as evidence for a name: 3 for a title or `named`, 2 for a greeting or
        `is a 58-year-old`, 1 for `patient` before or a verb of people after it, else 0."""
        folded, low = self.folded, max(0, begin - 24)
        if _TITLE.search(folded, low, begin):
            return 3
        if _GREETING.search(folded, low, begin) or _IDENTIFIED.match(folded, end, end + 40):
            return 2
        if _PERSON.search(folded, low, begin) or _ACTING.match(folded, end, end + 40):
            return 1
        return 0

    def pauses(self, begin: int, end: int) -> tuple[bool, bool]:
        """Return whether a pause (punctuation or the end of a line) is before and after a span, as in a form of address."""
        return (
            _PAUSE_BEFORE.search(self.folded, max(0, begin - 6), begin) is not None,
            _PAUSE_AFTER.match(self.folded, end) is not None,
        )

    def case(self, begin: int, end: int) -> str:
        """Return the case of a word in its context: `lower`, `capital` (within a sentence), `initial` (at the beginning of a
        sentence or line), `heading` (among other capitalized words), `all_capitals` (among words in capitals)."""
        text = self.text
        if not text[begin].isupper():
            return "lower"
        after = self._neighbor(end, 1)
        before = self._neighbor(begin, -1)
        if end - begin > 1 and text[begin:end].isupper():
            others = [w for w in (before, after) if len(w) > 1]
            return "all_capitals" if any(w.isupper() for w in others) or not others else "capital"
        if not before:
            return "initial"
        if after[:1].isupper() or before[:1].isupper():
            return "heading"
        return "capital"

    def _neighbor(self, offset: int, step: int) -> str:
        """Return the word next to an offset within the sentence and line, or an empty string."""
        text = self.text
        limit = len(text) if step > 0 else -1
        i = offset if step > 0 else offset - 1
        while i != limit and (text[i] in " \t\"'()[]," or (text[i] == "." and text[i - 2 : i - 1] in ("", " "))):
            i += step
        if i == limit or not text[i].isalnum():
            return ""
        begin, end = self.word_at(i)
        return text[begin:end]
