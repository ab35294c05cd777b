"""A document prepared for matching: text, folded text, its numbers, and the evidence around a span."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from ...typesystem import PhiKind
from .folding import fold

_NUMBER = re.compile(r"\d+")

_TITLES = (
    "mr|mrs|ms|miss|mx|mister|missus|dr|drs|doctor|prof|professor|nurse|sister|sir|madam|madame|mme|mlle|monsieur|frau|"
    "herr|senor|senora|sra|rev|reverend|capt|captain|sgt|lt|col|judge|aunt|uncle|cousin|grandma|grandpa"
)
_END = r"[\s.,:;=-]{0,3}[\"(]?$"
_TITLE = re.compile(
    rf"""(?: \b(?:{_TITLES})\s?\.?
        | \b(?:name(?:d|'s|\ is|\ was)?|surname|called|calls|signed|alias)
      ){_END}""",
    re.VERBOSE,
)
_GREETING = re.compile(
    rf"""(?: \b(?:hi|hey|hello|dear|bye|goodbye|thanks|thank\ you|good\ (?:morning|afternoon|evening)|welcome)
        | \b(?:i'm|i\ am|this\ is|meet|seeing)
        | \b(?:seen|reported|written|dictated|treated|prescribed|assisted|accompanied|referred|cared\ for)\ by
      ){_END}""",
    re.VERBOSE,
)
_PERSON = re.compile(
    rf"""\b(?:patient|pt|client|subject|mother|father|husband|wife|son|daughter|brother|sister|partner|friend|regards
         |sincerely|initials)(?:'s\ name)?(?:\ is|\ was)?{_END}""",
    re.VERBOSE,
)
_IDENTIFIED = re.compile(
    r"""\s+(?:is|was)\s+(?:an?\s+)?(?:\w+\s+){0,3}\d
      | \s*[,.]?\s+(?:n-\s+)?(?:date\ of\ birth|dob|d\.o\.b|mrn|medical\ record|born\b)""",
    re.VERBOSE,
)
_ACTING = re.compile(
    r"""\s+(?:is|was)\s+(?:here|seen|an?\s+(?:pleasant|very))
      | \s+(?:reports|reported|states|stated|denies|denied|complain(?:s|ed)|presents|presented|endorses|endorsed|says|said
             |returns|returned|tells|told|notes|noted|describes|described|underwent|received|experienced)\b
      | '?s\s+(?:mother|father|wife|husband|son|daughter|family|parents|sister|brother|doctor|physician)\b""",
    re.VERBOSE,
)
_PAUSE_BEFORE = re.compile(r"(?:^|[\n.?!,;:\])>-])\s*$")
_PAUSE_AFTER = re.compile(r"\s*(?:[,.?!\n]|$)")


class PhiMatch(NamedTuple):
    """A match of a value of the record: span, kind, confidence, rule and normalised value."""

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
        after = self._neighbour(end, 1)
        before = self._neighbour(begin, -1)
        if end - begin > 1 and text[begin:end].isupper():
            others = [w for w in (before, after) if len(w) > 1]
            return "all_capitals" if any(w.isupper() for w in others) or not others else "capital"
        if not before:
            return "initial"
        if after[:1].isupper() or before[:1].isupper():
            return "heading"
        return "capital"

    def _neighbour(self, offset: int, step: int) -> str:
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
