"""A candidate date and the text around it, as the guards see them."""

from __future__ import annotations

from functools import cached_property

from ...pipeline.storage.lazy_regex import lazy_regex
from . import cues
from .interpretation import Interpretations
from .windows import AFTER, BEFORE

REJECT = 9
"""More support than any text can give."""
CLOCK_TOUCHING = lazy_regex(r"(?:[01]\d|2[0-3]):[0-5]\d")
"""A clock time directly after a year, without a space."""
LONGEST_JOINT = 24
"""Maximum code points between two dates of one list, so that time stays linear."""


class DateContext:
    """Code points `begin:end` of `text`, their interpretations, and the date before them.

    `last` is the end of the previous date, 0 if there is none; negative if that date is uncertain.
    """

    def __init__(self, text: str, begin: int, end: int, interpretations: Interpretations, last: int = 0) -> None:
        self.text, self.begin, self.end, self.interpretations = text, begin, end, interpretations
        self.last, self.nearest = max(last, 0), abs(last)
        self.covered = text[begin:end]
        self.before = text[max(0, begin - BEFORE) : begin]
        self.after = text[end : end + AFTER]
        self.left, self.right = self.before[-1:], self.after[:1]

    @cached_property
    def complete(self) -> bool:
        """True if the digits have day, month and a year of four digits."""
        return len(self.covered) >= 8 and (self.covered[:4].isdigit() or self.covered[-4:].isdigit())

    @property
    def touched(self) -> bool:
        """True if a letter or digit touches the left side."""
        return self.left.isalnum()

    @cached_property
    def follows_any(self) -> bool:
        """True if this is the next item of a list after the previous date: `3/4, 3/5`, `3/4 and 3/5`."""
        near = 0 < self.nearest <= self.begin <= self.nearest + LONGEST_JOINT
        return near and joined(self.text[self.nearest : self.begin])

    @property
    def follows_date(self) -> bool:
        """True if this is the next item of a list after a certain date."""
        return self.last > 0 and self.follows_any

    @cached_property
    def strong(self) -> bool:
        """True after a word that announces a date, a clock time or another date."""
        announced = cues.STRONG.search(self.before) or cues.CLOCK_BEFORE.search(self.before)
        return announced is not None or self.follows_date

    @cached_property
    def support(self) -> int:
        """2 after a word that announces a date, else 1 each for a weaker sign before and after it; brackets count 1."""
        if self.strong:
            return 2
        before = self.begin == 0 or cues.WEAK.search(self.before) is not None
        behind = cues.CLOCK_AFTER.match(self.after) or cues.SIGNED.match(self.after)
        if before and self.left == "(" and self.right == ")":
            return 1
        return before + (behind is not None) or (1 if cues.FOLLOWED.match(self.after) else 0)

    def doubt(self, needed: int) -> int:
        """Return how much support is missing."""
        return max(0, needed - self.support)

    def whole(self, *, letters_touch: bool = False) -> bool:
        """Return True if the digits at both ends are not part of a longer number, code or word.

        With `letters_touch`, letters may be adjacent (`on3/4/2020`, `3/4/2020pt`).
        """
        text, begin, left, right = self.text, self.begin, self.left, self.text[self.end : self.end + 2]
        if left and not (self.last and self.last <= begin <= self.last + 1):
            if left.isdigit() or (left.isalpha() and not letters_touch) or left in "/\\$€£¥#":
                return False
            cell = left == "," and self.complete  # 9.4,2024-11-19,160/88
            if left in ".,:-–_'" and begin > 1 and text[begin - 2].isdigit() and not cell:
                return False
        if self.complete and CLOCK_TOUCHING.match(text, self.end):
            return True  # 05/29/200110:31
        if right[:1].isdigit() or (right[:1].isalpha() and not letters_touch) or right[:1] in ("%", "\\"):
            return False
        if right[:1] == "." and "/" in self.covered and self.covered[-4:].isdigit():
            return True  # 31/12/1921.10:55
        return not (right[:1] in ("/", ".", ":", "\\", "'") and right[1:].isdigit())

    @property
    def hyphenated(self) -> bool:
        """True if a hyphen or underscore joins it to letters or digits: `US-2021-011594`, `2019-nCoV`."""
        left = self.left in ("-", "_") and self.begin > 1 and self.text[self.begin - 2].isalnum()
        right = self.right in ("-", "_") and self.text[self.end + 1 : self.end + 2].isalnum()
        return (left and self.begin != self.last) or right


def joined(between: str) -> bool:
    """Return True if the text between two dates continues a list or interval: a comma, a dash, `and`, `or`, `to`."""
    if between and not between.strip(" \t"):
        return False
    return between.strip(" \t\n,;&()-").lower() in ("", "and", "or", "to", "through", "thru", "until", "and again")
