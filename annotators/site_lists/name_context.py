"""Decides where an allowed word is a part of the name of a person: the list does not apply there."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiCandidate, PhiKind, View
from ..names import cues
from ..patterns.lists import pieces
from ..resolving.candidates import takes_part
from .entry import SiteMatch

_REACH = 40
"""Number of code points on each side that decide."""
_BEFORE = lazy_regex(r"(?P<word>[^\W\d_][\w'’-]*)(?P<stop>\.?)(?P<colon>[ \t]*[:=])?[ \t]*\n?[ \t\"“(]*\Z")
_INITIAL = lazy_regex(r"(?:^|[\s(,.])[^\W\d_]\.[ \t-]?\Z")
_AFTER = lazy_regex(r"['’]?s?[ \t]*,?[ \t]*\n?[ \t]*(?P<word>[^\W\d_][\w-]*)")
_LEFT = lazy_regex(r"[ \t]*[-'’.]?[ \t]*\n?[ \t]*\Z")
_RIGHT = lazy_regex(r"[ \t]*[-,'’]?[ \t]*\n?[ \t]*\Z")
_AGED = lazy_regex(
    r"[ \t]*,?[ \t]+(?:is|was)[ \t]+an?[ \t]+\d|[ \t]*,[ \t]*(?:aged?[ \t]+)?\d{1,3}[ \t-]*y", re.IGNORECASE
)
_SMALL_WORDS = lazy_regex(
    r"\b(?:The|A|An|the|an?|of|in|at|on|to|for|and|or|with|per|post|status|[sp]|after|before|during|via)\b"
)
"""Words that a finder may take with an allowed one, and that are not names."""
_POSSESSIVE = lazy_regex(r"['’][sS]\Z")
_SPEECH = frozenset(
    "said says states stated reports denies denied complains complained endorses presents told tells".split()
)
_LABELS = cues.LABEL | cues.PATIENT | cues.RELATIVE | cues.REPORTER | cues.TITLE | cues.WEAK_TITLE | cues.NAMED
TITLED = "a title, label or credential beside it"
PART = "part of a longer name"


class NameContext:
    """The names around allowed words in one view. `least`: confidence from which a candidate of a person counts."""

    def __init__(self, view: View, allowed: Sequence[SiteMatch], least: float) -> None:
        self._view, self._text, self._least = view, view.text, least
        self._allowed = AllowedText(view.text, allowed)

    def reason(self, match: SiteMatch) -> str:
        """Return why a match is a part of a name, or an empty string."""
        if self._is_titled(match):
            return TITLED
        return PART if self._has_neighbor(match) else ""

    def _is_titled(self, match: SiteMatch) -> bool:
        text = self._text
        left = text[max(0, match.begin - _REACH) : match.begin]
        capital = text[match.begin : match.begin + 1].isupper()
        if capital and (_INITIAL.search(left) or _AGED.match(text, match.end)):
            return True
        if (before := _BEFORE.search(left)) and _announces(before, capital):
            return True
        after = _AFTER.match(text, match.end, match.end + _REACH)
        if after is None:
            return False
        word = after["word"]
        credential = cues.CREDENTIALS.get(word, 0) & cues.CREDENTIAL
        return bool(credential) or (capital and word in _SPEECH)

    def _has_neighbor(self, match: SiteMatch) -> bool:
        around = (max(0, match.begin - _REACH), min(len(self._text), match.end + _REACH))
        for c in self._view.select(PhiCandidate, overlapping=around):
            if c.kind.top is not PhiKind.PERSON or c.confidence < self._least or not takes_part(c):
                continue
            beside = (c.begin < match.end and match.begin < c.end) or self._touches(c, match)
            if beside and not self._allowed.explains(c.begin, c.end):
                return True
        return False

    def _touches(self, c: PhiCandidate, match: SiteMatch) -> bool:
        if c.end <= match.begin:
            return _LEFT.match(self._text, c.end, match.begin) is not None and (
                "." not in self._text[c.end : match.begin] or c.end - c.begin < 3
            )
        return match.end <= c.begin and _RIGHT.match(self._text, match.end, c.begin) is not None


class AllowedText:
    """Allowed words in a text; the matches are sorted, and none is inside another."""

    def __init__(self, text: str, matches: Sequence[SiteMatch]) -> None:
        self._text, self._matches = text, matches
        self._begins = [match.begin for match in matches]
        self._ends = [match.end for match in matches]

    def within(self, begin: int, end: int) -> Sequence[SiteMatch]:
        """Return the matches that overlap a span."""
        return self._matches[bisect_right(self._ends, begin) : bisect_left(self._begins, end)]

    def explains(self, begin: int, end: int) -> bool:
        """Return whether allowed words explain every letter and digit of a span; a possessive, articles and
        prepositions need no word."""
        done, matches = begin, self.within(begin, end)
        for number, match in enumerate(matches):
            if _has_letters(self._text[done : match.begin], number > 0):
                return False
            done = match.end
        return bool(matches) and not _has_letters(self._text[done:end], True)


def _has_letters(between: str, after_word: bool) -> bool:
    """Return whether there is more than white space, punctuation, articles and prepositions and, after a word, a possessive."""
    rest = between.rstrip()
    if after_word and _POSSESSIVE.fullmatch(rest):
        return False
    return any(map(str.isalnum, _SMALL_WORDS.sub("", between)))


def _announces(before: re.Match[str], capital: bool) -> bool:
    """Return whether the word before a match announces a person; `capital`: the match begins with a capital."""
    word = before["word"]
    bits = cues.CUES.get(word.lower(), 0)
    if before["colon"]:
        return bool(bits & _LABELS)
    if bits & (cues.TITLE | cues.GREETING) or (word[0].isupper() and bits & cues.WEAK_TITLE):
        return True
    return capital and not before["stop"] and (word.lower() == "by" or bool(bits & (cues.RELATIVE | cues.NAMED)))


def named_in(words: str, values: Iterable[frozenset[str]]) -> bool:
    """Return whether all words of an entry are words of one value."""
    own = frozenset(pieces(words))
    return any(own <= value for value in values)
