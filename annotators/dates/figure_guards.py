"""Whether figures are a date where they stand, or a fraction, a score, a count, a code, an hour."""

from __future__ import annotations

import re

from . import cues
from . import lookalikes as no
from .calendar import LATEST_YEAR
from .place import REJECT, Place

_SPOKEN_YEARS = range(1930, 2028)
"""Years of living memory; others behind `around` or `by` are hours: `around 2030 she slept`."""
_PARTS = re.compile(r"\D+")
_ISO_BEHIND = re.compile(r"/\d{4}-\d{1,2}-\d{1,2}(?!\d)")
_COMPACT_BEHIND = re.compile(r"[-–]\d{8}(?!\d)")
_FRACTIONS = {(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)}


def full(place: Place) -> int:
    if _ISO_BEHIND.match(place.after):  # 2021-03-04/2021-03-10
        return REJECT if place.bound or place.left == "/" else 0
    hyphens = "/" not in place.hit
    if not place.whole(glued=not hyphens) or (hyphens and place.tied):
        return REJECT
    return REJECT if hyphens and len(place.hit) < 9 and no.CODE_OF.search(place.before) else 0


def dotted(place: Place) -> int:
    if not place.whole() or place.tied or _number_of(place) or no.SCORE.search(place.before):
        return REJECT
    if no.COUNTED.match(place.after):
        return REJECT
    padded = all(len(part) == 2 for part in place.hit.split("."))
    return 0 if padded else place.lacks(1)


def spaced(place: Place) -> int:
    around = place.text[max(0, place.begin - 2) : place.begin] + place.text[place.end : place.end + 2]
    if not place.whole() or any(c.isdigit() for c in around):
        return REJECT
    return 0 if cues.DATED.search(place.before) else REJECT


def pair(place: Place) -> int:
    """`3/4`: the smaller the figures, the likelier a fraction, and the more support is asked."""
    tied = place.left == "-" and place.begin > 1 and place.text[place.begin - 2].isalpha()
    if not place.whole() or tied or no.SCORE.search(place.before) or no.COUNTED.match(place.after):
        return REJECT
    if place.readings[0].end is not None:
        return _pair_of_days(place)
    first, second = _PARTS.split(place.hit)
    a, b = int(first), int(second)
    if place.right == "/" or (a, b) == (24, 7) or no.WEIGHTY_AFTER.match(place.after):
        return REJECT
    if b == 10 and (len(first) == 1 or a == 10) and no.PAIN.search(place.before) and not place.strong:
        return REJECT
    needed = 2 if (a, b) == (10, 10) or " / " in place.hit else 1 if " " in place.hit or "\\" in place.hit else 0
    if a <= b <= 12 and len(first) == 1 and b != 11:
        mixed = place.begin > 1 and place.left == " " and place.text[place.begin - 2].isdigit()
        if mixed and a < b and b in (2, 3, 4, 8) and not cues.CLOCK_BEFORE.search(place.before):
            return REJECT  # 2 1/2
        if no.PAIR_BEFORE.search(place.before) and not place.follows_any:
            return REJECT
        doubtful = b in (5, 10) or (a == b and b <= 6) or (a, b) in _FRACTIONS or no.FRACTION_AFTER.match(place.after)
        needed = max(needed, 2 if doubtful else 1)
    return place.lacks(needed)


def _pair_of_days(place: Place) -> int:
    if no.CLOCK.match(place.after):
        return REJECT
    return 0 if (place.readings[0].begin.day or 0) > 12 else place.lacks(1)


def hyphen_pair(place: Place) -> int:
    if not place.whole() or place.tied or no.COUNTED.match(place.after) or no.CLOCK.match(place.after):
        return REJECT
    if no.WEIGHTY_AFTER.match(place.after) or no.SCORE.search(place.before) or _number_of(place):
        return REJECT
    a, b = _PARTS.split(place.hit)
    padded = len(a) == len(b) == 2 and "0" in (a[0], b[0])
    if not padded and not (int(a) <= 12 < int(b)):
        return REJECT
    return 0 if cues.DATED.search(place.before) or place.follows_date else REJECT


def month_year(place: Place) -> int:
    if not place.whole() or place.tied or no.COUNTED.match(place.after) or _number_of(place):
        return REJECT
    if "." in place.hit:
        return place.lacks(2)
    return place.lacks(2) if int(place.hit[-4:]) > LATEST_YEAR else place.lacks(1) if "-" in place.hit else 0


def short_month_year(place: Place) -> int:
    if not place.whole() or place.tied or no.COUNTED.match(place.after) or no.SCORE.search(place.before):
        return REJECT
    if no.WEIGHTY_AFTER.match(place.after) or no.PAIR_BEFORE.search(place.before):
        return REJECT
    if cues.DATED.search(place.before) or cues.YEAR_STRONG.search(place.before):
        return 0
    titre = place.hit[0] == "1" and not place.hit[1].isdigit()  # 1/40, 1/80
    return place.lacks(1) if "/" in place.hit and not titre else REJECT


def year_month(place: Place) -> int:
    if not place.whole() or place.tied or no.COUNTED.match(place.after) or _number_of(place):
        return REJECT
    return place.lacks(2) if "." in place.hit else 0


def compact(place: Place) -> int:
    tied = place.tied and not _COMPACT_BEHIND.match(place.after)
    if not place.whole() or tied or _number_of(place) or no.COUNTED.match(place.after):
        return REJECT
    return 0


def short_compact(place: Place) -> int:
    return compact(place) if cues.DATED.search(place.before) else REJECT


def year(place: Place) -> int:
    before, after = place.before, place.after
    if not place.whole() or (place.tied and not _spoken_hyphen(place)):
        return REJECT
    if (place.left and place.left in "@+<>~*^≥≤±x×") or (place.right and place.right in "+°*=×"):
        return REJECT
    if place.right == "," and place.after[1:4].isdigit():
        return REJECT
    if no.COUNTED.match(after) or no.STREET_AFTER.match(after) or no.STREET_BEFORE.search(before):
        return REJECT
    number = int(place.hit)
    strong = cues.YEAR_STRONG.search(before) or cues.BIRTH.search(before)
    if not strong and (_number_of(place) or (number % 100 < 60 and _hours(place))):
        return REJECT
    if number > LATEST_YEAR:
        return 0 if cues.YEAR_CUE.search(before) or place.support else REJECT
    return 0


def _hours(place: Place) -> bool:
    """Whether four figures are a clock time: `at 1930`, `4/7/21 1930`, `1730 on 4/7`."""
    if no.HOURS_BEFORE.search(place.before) or no.HOURS_AFTER.match(place.after):
        return True
    if int(place.hit) not in _SPOKEN_YEARS and no.AROUND_BEFORE.search(place.before):
        return True
    gap = place.text[place.last : place.begin] if 0 < place.last <= place.begin else "none"
    return gap.strip(" ,\t") in ("", "at", "@", "-")


def _spoken_hyphen(place: Place) -> bool:
    """Whether what a hyphen binds to the year is a word like `pre-` or `-present`."""
    left, right = place.before.lower(), place.after[:12].lower()
    behind = not right.startswith(("-", "_")) or right.startswith(("-era", "-pres", "-now", "-base", "-to", "-curr"))
    bound = left.endswith(("-", "_")) and left[-2:-1].isalnum()
    return behind and (not bound or left.rstrip("-").endswith(("pre", "post", "mid", "early", "late", "since", "ca")))


def years(place: Place) -> int:
    return compact(place)


def short_year(place: Place) -> int:
    if place.bound or no.COUNTED.match(place.after):
        return REJECT
    return 0 if cues.SHORT_YEAR_CUE.search(place.before) or place.follows_date else REJECT


def quarter(place: Place) -> int:
    return REJECT if no.COUNTED.match(place.after) else decade(place)


def decade(place: Place) -> int:
    return 0 if place.whole() and not place.tied else REJECT


def short_decade(place: Place) -> int:
    spoken = ("the ", "the early ", "the mid ", "the late ", "the mid-", "early-", "late-")
    if not place.before.lower().endswith(spoken):
        return REJECT
    if cues.VITALS.search(place.before) or no.PULSE_AFTER.match(place.after):
        return REJECT
    return 0 if not place.hit[0].isdigit() or cues.DECADE_CUE.search(place.before) else REJECT


def _number_of(place: Place) -> bool:
    return no.NUMBER_OF.search(place.before) is not None
