"""One document as the matchers see it: text, folded text, its numbers, and the evidence around a span."""

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
    """What a matcher found: a span, its kind, how sure, by which rule, and the normalised value."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str
    value: str = ""


class SearchableText:
    """A text with what matchers ask about it. Offsets in `folded` are offsets in `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self.lower_case = text == self.folded if text.isascii() else text == text.lower()
        """No capitals at all, as in transcripts of speech: case says nothing."""

    @cached_property
    def numbers(self) -> list[tuple[int, int, str]]:
        """Every run of digits: begin, end, digits in ASCII."""
        return [(m.start(), m.end(), m.group()) for m in _NUMBER.finditer(self.folded)]

    def word_at(self, at: int) -> tuple[int, int]:
        """Begin and end of the run of letters and digits around an offset."""
        folded = self.folded
        begin = end = at
        while begin and folded[begin - 1].isalnum():
            begin -= 1
        while end < len(folded) and folded[end].isalnum():
            end += 1
        return begin, end

    def cue(self, begin: int, end: int) -> int:
        """How much the words around a span speak for a name: 3 a title or `named`, 2 a greeting or `is a 58-year-old`,
        1 `patient` before or a verb of people after, 0 nothing."""
        folded, low = self.folded, max(0, begin - 24)
        if _TITLE.search(folded, low, begin):
            return 3
        if _GREETING.search(folded, low, begin) or _IDENTIFIED.match(folded, end, end + 40):
            return 2
        if _PERSON.search(folded, low, begin) or _ACTING.match(folded, end, end + 40):
            return 1
        return 0

    def pauses(self, begin: int, end: int) -> tuple[bool, bool]:
        """Whether a pause (punctuation or a line's end) stands before and after, as around somebody spoken to."""
        return (
            _PAUSE_BEFORE.search(self.folded, max(0, begin - 6), begin) is not None,
            _PAUSE_AFTER.match(self.folded, end) is not None,
        )

    def case(self, begin: int, end: int) -> str:
        """What the case of a word tells: `lower`, `capital` (inside a running sentence), `initial` (at the start of a
        sentence or line), `heading` (among other capitalised words), `shouted` (among words in capitals)."""
        text = self.text
        if not text[begin].isupper():
            return "lower"
        after = self._neighbour(end, 1)
        before = self._neighbour(begin, -1)
        if end - begin > 1 and text[begin:end].isupper():
            others = [w for w in (before, after) if len(w) > 1]
            return "shouted" if any(w.isupper() for w in others) or not others else "capital"
        if not before:
            return "initial"
        if after[:1].isupper() or before[:1].isupper():
            return "heading"
        return "capital"

    def _neighbour(self, at: int, step: int) -> str:
        """The word next to an offset within the sentence and line, empty where there is none."""
        text = self.text
        limit = len(text) if step > 0 else -1
        at = at if step > 0 else at - 1
        while at != limit and (text[at] in " \t\"'()[]," or (text[at] == "." and text[at - 2 : at - 1] in ("", " "))):
            at += step
        if at == limit or not text[at].isalnum():
            return ""
        begin, end = self.word_at(at)
        return text[begin:end]
