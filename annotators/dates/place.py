"""A hit and the text around it: what the guards look at."""

from __future__ import annotations

from functools import cached_property

from . import cues
from .reading import DateReading
from .windows import AFTER, BEFORE

REJECT = 9
"""So much support no text gives."""


LONGEST_JOINT = 24
"""Code points between two dates that can be one list; beyond that nobody looks, so that time stays linear."""


class Place:
    """Code points `begin:end` of `text`, the readings they allow, and the date found before them."""

    def __init__(self, text: str, begin: int, end: int, readings: tuple[DateReading, ...], last: int = 0) -> None:
        """`last` is the end of the date found before this one, 0 where there is none; negative where it is in doubt."""
        self.text, self.begin, self.end, self.readings = text, begin, end, readings
        self.last, self.nearest = max(last, 0), abs(last)
        self.hit = text[begin:end]
        self.before = text[max(0, begin - BEFORE) : begin]
        self.after = text[end : end + AFTER]
        self.left, self.right = self.before[-1:], self.after[:1]

    @property
    def bound(self) -> bool:
        """Whether a letter or figure touches the left side."""
        return self.left.isalnum()

    @cached_property
    def follows_any(self) -> bool:
        """Whether only a joint stands between the date before and this one: `3/4, 3/5`, `3/4 and 3/5`."""
        near = 0 < self.nearest <= self.begin <= self.nearest + LONGEST_JOINT
        return near and joined(self.text[self.nearest : self.begin])

    @property
    def follows_date(self) -> bool:
        """The same where the date before is certain."""
        return self.last > 0 and self.follows_any

    @cached_property
    def strong(self) -> bool:
        """Whether a word before says that a date follows, or a clock time or another date stands before."""
        spoken = cues.STRONG.search(self.before) or cues.CLOCK_BEFORE.search(self.before)
        return spoken is not None or self.follows_date

    @cached_property
    def support(self) -> int:
        """2 where a word says that a date follows, else one for a weaker sign before and one behind; brackets are one."""
        if self.strong:
            return 2
        before = self.begin == 0 or cues.WEAK.search(self.before) is not None
        behind = cues.CLOCK_AFTER.match(self.after) or cues.SIGNED.match(self.after)
        if before and self.left == "(" and self.right == ")":
            return 1
        return before + (behind is not None) or (1 if cues.FOLLOWED.match(self.after) else 0)

    def lacks(self, needed: int) -> int:
        """How much support is missing."""
        return max(0, needed - self.support)

    def whole(self, *, glued: bool = False) -> bool:
        """Whether the figures at both ends are not cut out of a longer number, code or word.

        `glued`: letters may touch (`on3/4/2020`, `3/4/2020pt`).
        """
        text, begin, left, right = self.text, self.begin, self.left, self.text[self.end : self.end + 2]
        if left and not (self.last and self.last <= begin <= self.last + 1):
            if left.isdigit() or (left.isalpha() and not glued) or left in "/\\$€£¥#=":
                return False
            if left in ".,:-–_'" and begin > 1 and text[begin - 2].isdigit():
                return False
        if right[:1].isdigit() or (right[:1].isalpha() and not glued) or right[:1] in ("%", "\\"):
            return False
        if right[:1] == "." and "/" in self.hit and self.hit[-4:].isdigit():
            return True  # 31/12/1921.10:55
        return not (right[:1] in ("/", ".", ":", "\\", "'") and right[1:].isdigit())

    @property
    def tied(self) -> bool:
        """Whether a hyphen or an underline binds the hit to letters or figures: `US-2021-011594`, `2019-nCoV`."""
        left = self.left in ("-", "_") and self.begin > 1 and self.text[self.begin - 2].isalnum()
        right = self.right in ("-", "_") and self.text[self.end + 1 : self.end + 2].isalnum()
        return (left and self.begin != self.last) or right


def joined(between: str) -> bool:
    """Whether a list or an interval goes on: nothing but a comma, a dash, `and`, `or`, `to` stands between."""
    if between and not between.strip(" \t"):
        return False
    return between.strip(" \t\n,;&()-").lower() in ("", "and", "or", "to", "through", "thru", "until", "and again")
