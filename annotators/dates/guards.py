"""Whether what looks like a date is one where it stands: one judgement for each shape of expression."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from . import cues
from .calendar import LATEST_YEAR
from .reading import DateReading
from .rules import Shape

REJECT = 9


class Place:
    """A hit and the text around it."""

    def __init__(self, text: str, begin: int, end: int, readings: tuple[DateReading, ...], last: int = 0) -> None:
        """`last` is the end of the date found before this one, 0 where there is none; negative where it is in doubt."""
        self.text, self.begin, self.end, self.readings = text, begin, end, readings
        self.last, self.nearest = max(last, 0), abs(last)

    @cached_property
    def hit(self) -> str:
        return self.text[self.begin : self.end]

    @cached_property
    def before(self) -> str:
        return self.text[max(0, self.begin - cues.BEFORE) : self.begin]

    @cached_property
    def after(self) -> str:
        return self.text[self.end : self.end + cues.AFTER]

    @cached_property
    def follows_date(self) -> bool:
        """Whether only a joint stands between the date before and this one: `3/4, 3/5`, `3/4 and 3/5`."""
        return self.last > 0 and self.follows_any

    @cached_property
    def follows_any(self) -> bool:
        """The same where the date before is itself in doubt."""
        return 0 < self.nearest <= self.begin and joined(self.text[self.nearest : self.begin])

    def support(self) -> int:
        """2 where a word says that a date follows, 1 for weaker signs, 0 for none."""
        if cues.STRONG.search(self.before) or cues.CLOCK_BEFORE.search(self.before) or self.follows_date:
            return 2
        found = cues.WEAK.search(self.before) or cues.CLOCK_AFTER.match(self.after) or cues.FOLLOWED.match(self.after)
        return 1 if found or self.begin == 0 else 0


def joined(between: str) -> bool:
    """Whether a list or an interval goes on: nothing but a comma, a dash, `and`, `or`, `to` stands between."""
    if between and not between.strip(" \t"):
        return False
    return between.strip(" \t\n,;&()-").lower() in ("", "and", "or", "to", "through", "thru", "until", "and again")


def edges(place: Place, *, glued: bool = False) -> bool:
    """Whether the figures at both ends are whole: not cut out of a longer number, code or word.

    `glued`: letters may touch (`on3/4/2020`, `3/4/2020pt`).
    """
    text, begin, end = place.text, place.begin, place.end
    left, right = text[begin - 1 : begin], text[end : end + 2]
    if begin != place.last:
        if left.isdigit() or (left.isalpha() and not glued) or left in ("/", "\\", "$", "€", "£", "¥", "#", "="):
            return False
        if left and left in ".,:-–_'" and text[begin - 2 : begin - 1].isdigit() and begin > 1:
            return False
    if right[:1].isdigit() or (right[:1].isalpha() and not glued) or right[:1] in ("%", "\\"):
        return False
    if right[:1] == "." and place.hit[-4:].isdigit() and "/" in place.hit:
        return True  # 31/12/1921.10:55
    return not (right[:1] in ("/", ".", ":", "\\", "'") and right[1:].isdigit())


def code(place: Place) -> bool:
    """Whether a hyphen or an underline binds the hit to letters or figures: `US-2021-011594`, `2019-nCoV`."""
    text, begin, end = place.text, place.begin, place.end
    left = (
        text[begin - 1 : begin] in ("-", "_")
        and text[begin - 2 : begin - 1].isalnum()
        and begin > 1
        and begin != place.last
    )
    right = text[end : end + 1] in ("-", "_") and text[end + 1 : end + 2].isalnum()
    return left or right


def _full(place: Place) -> int:
    named = any(c.isalpha() for c in place.hit)
    if named:
        return _named_full(place)
    hyphens = "/" not in place.hit
    if not edges(place, glued=not hyphens) or (hyphens and code(place)):
        return REJECT
    return 0


def _named_full(place: Place) -> int:
    left, right = place.text[place.begin - 1 : place.begin], place.text[place.end : place.end + 1]
    if place.hit[0].isdigit() and (
        left.isdigit() or (left and left in ".,:" and place.text[place.begin - 2].isdigit())
    ):
        return REJECT if place.begin != place.last else 0
    if (place.hit[0].isalpha() and left.isalpha()) or right.isdigit():
        return REJECT
    if place.hit[-1].isdigit() and right.isalpha() and not place.hit[-4:].isdigit():
        return REJECT
    if place.hit[-1].isdigit() and (
        cues.COUNTED.match(place.after)
        or (right == ":" and place.after[1:2].isdigit() and not place.hit[-4:].isdigit())
    ):
        return REJECT
    if place.hit[-1].isalpha() and right.isalpha():
        return REJECT
    return _verb(place)


def _verb(place: Place) -> int:
    """`2020 may be`, `5 march`: a month word that is an ordinary word here."""
    words = [w for w in place.hit.replace(".", " ").split() if w.lower() in ("may", "march", "mar", "dec")]
    if " of " in place.hit or (
        words and words[-1][0].isupper() and any(c.isdigit() for c in place.hit) and place.support() == 2
    ):
        return 0
    if words and place.hit.endswith(words[-1]) and cues.MODAL_AFTER.match(place.after):
        return REJECT
    return 0


def _dotted(place: Place) -> int:
    if not edges(place) or code(place) or cues.NUMBER_OF.search(place.before) or cues.SCORE.search(place.before):
        return REJECT
    if cues.COUNTED.match(place.after):
        return REJECT
    padded = all(len(p) == 2 for p in place.hit.split("."))
    return 0 if padded else max(0, 1 - place.support())


def _spaced(place: Place) -> int:
    around = place.text[place.begin - 2 : place.begin], place.text[place.end : place.end + 2]
    if not edges(place) or any(c.isdigit() for side in around for c in side):
        return REJECT
    return 0 if cues.DATED.search(place.before) else REJECT


def _pair(place: Place) -> int:
    if not edges(place) or (
        place.text[place.begin - 1 : place.begin] == "-" and place.text[place.begin - 2 : place.begin - 1].isalpha()
    ):
        return REJECT
    if "-" in place.hit or place.readings[0].end is not None:
        return _pair_days(place)
    a, b = (
        int("".join(c for c in part if c.isdigit()))
        for part in place.hit.replace("\\", "/").replace("//", "/").split("/")
    )
    first, second = (part.strip() for part in place.hit.replace("//", "/").replace("\\", "/").split("/"))
    if (
        place.after[:1] == "/"
        or (a, b) == (24, 7)
        or cues.WEIGHTY_AFTER.match(place.after)
        or cues.COUNTED.match(place.after)
    ):
        return REJECT
    score = cues.SCORE.search(place.before)
    mixed = place.text[place.begin - 2 : place.begin - 1].isdigit() and place.text[place.begin - 1 : place.begin] == " "
    small = a <= b <= 12 and len(first) == 1 and not (b == 11 and a != 11)
    if score:
        return REJECT
    if small and cues.PAIR_BEFORE.search(place.before) and not place.follows_any:
        return REJECT
    need = 0
    if small:
        need = 1
        if mixed and b in (2, 3, 4, 8) and a < b and not cues.CLOCK_BEFORE.search(place.before):
            return REJECT
        if cues.FRACTION_AFTER.match(place.after) or " / " in place.hit:
            need = 2
        if b in (5, 10) or (a == b and b <= 6) or (a, b) in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4)):
            need = 2
        if b == 10 and cues.PAIN.search(place.before) and place.support() < 2:
            return REJECT
    elif (a, b) == (10, 10):
        need = 2
        if cues.PAIN.search(place.before) and place.support() < 2:
            return REJECT
    elif " / " in place.hit:
        need = 2
    elif " " in place.hit or "\\" in place.hit:
        need = 1
    return max(0, need - place.support())


def _pair_days(place: Place) -> int:
    if cues.COUNTED.match(place.after) or cues.CLOCK.match(place.after) or cues.SCORE.search(place.before):
        return REJECT
    if "/" not in place.hit:
        return REJECT
    return 0 if (place.readings[0].begin.day or 0) > 12 else max(0, 1 - place.support())


def _hyphen_pair(place: Place) -> int:
    if not edges(place) or code(place) or cues.COUNTED.match(place.after) or cues.CLOCK.match(place.after):
        return REJECT
    if cues.WEIGHTY_AFTER.match(place.after) or cues.SCORE.search(place.before) or cues.NUMBER_OF.search(place.before):
        return REJECT
    a, b = (
        part.strip()
        for part in place.hit.replace("–", "-").replace("—", "-").replace("‑", "-").replace("‐", "-").split("-")
    )
    if not (len(a) == len(b) == 2 and (a[0] == "0" or b[0] == "0")) and not (int(b) > 12 and int(a) <= 12):
        return REJECT
    return 0 if cues.DATED.search(place.before) or place.follows_date else REJECT


def _month_year(place: Place) -> int:
    if not edges(place) or code(place) or cues.COUNTED.match(place.after):
        return REJECT
    if "." in place.hit or "-" in place.hit:
        return max(0, (2 if "." in place.hit else 1) - place.support()) or (
            REJECT if cues.NUMBER_OF.search(place.before) else 0
        )
    if cues.NUMBER_OF.search(place.before) or (int(place.hit[-4:]) > LATEST_YEAR and not place.support()):
        return REJECT
    return 0


def _short_month_year(place: Place) -> int:
    if not edges(place) or code(place) or cues.COUNTED.match(place.after) or cues.SCORE.search(place.before):
        return REJECT
    if cues.WEIGHTY_AFTER.match(place.after) or cues.PAIR_BEFORE.search(place.before):
        return REJECT
    if cues.DATED.search(place.before) or cues.YEAR_STRONG.search(place.before):
        return 0
    titre = place.hit[0] == "1" and not place.hit[1].isdigit()
    return max(0, 1 - place.support()) if "/" in place.hit and not titre else REJECT


def _year_month(place: Place) -> int:
    if not edges(place) or code(place) or cues.COUNTED.match(place.after) or cues.NUMBER_OF.search(place.before):
        return REJECT
    return max(0, 2 - place.support()) if "." in place.hit else 0


def _compact(place: Place) -> int:
    if not edges(place) or code(place) or cues.NUMBER_OF.search(place.before) or cues.COUNTED.match(place.after):
        return REJECT
    return 0


def _short_compact(place: Place) -> int:
    if not edges(place) or code(place) or cues.NUMBER_OF.search(place.before):
        return REJECT
    return 0 if cues.DATED.search(place.before) and not cues.COUNTED.match(place.after) else REJECT


def _named_day(place: Place) -> int:
    faults = _named_full(place)
    if faults:
        return faults
    hit, after = place.hit, place.after
    if hit[-1].isdigit() and (
        cues.CLOCK.match(after) or after[:1] == "%" or (after[:1] in "/-" and after[1:2].isdigit())
    ):
        return REJECT
    words = [w for w in "".join(c if c.isalpha() else " " for c in hit).split() if len(w) > 2]
    month = words[0] if hit[0].isalpha() else words[-1]
    if month.lower() in ("may", "march", "mar", "dec", "sep", "oct", "jan", "apr") and not place.support():
        if month.islower() and not hit[-1] in "hdt":
            return REJECT if month in ("may", "march", "dec", "mar") and " " in hit else 0
        if month.isupper() and month.lower() in ("mar", "dec", "oct", "sep") and " " in hit:
            return 1
    if hit[0].isdigit() and month.lower() == "may" and month.islower() and cues.MODAL_AFTER.match(after):
        return REJECT
    return 0


def _named_short_year(place: Place) -> int:
    if cues.CLOCK.match(place.after) or cues.LISTED.match(place.after):
        return REJECT
    return _named_day(place)


def _month(place: Place) -> int:
    word, low, before, after = place.hit, place.hit.lower(), place.before, place.after
    left, right = place.text[place.begin - 1 : place.begin], after[:1]
    if left.isalnum() or right.isalnum() or (right in ("'", "’") and after[1:2] != "s"):
        return REJECT
    if right == "-" and after[1:2].isalpha() and low in ("may", "march", "mar", "dec", "jan", "sep"):
        return REJECT
    cue, strong = cues.MONTH_CUE.search(before), cues.MONTH_STRONG.search(before)
    joined = place.follows_date
    if low in ("may", "march", "august", "mar", "dec", "jan", "jun", "april", "june") and cues.PERSON_BEFORE.search(
        before
    ):
        return REJECT
    if low in ("may", "march"):
        if cues.MODAL_AFTER.match(after) and not strong:
            return REJECT
        if word[0].isupper() and not word.isupper():
            return 0 if cue or joined else REJECT
        return 0 if strong or joined else REJECT
    if len(low) < 5 and low not in ("june", "july"):
        titled = word[0].isupper() and word[1:].islower()
        if low in ("mar", "dec", "sep", "jan") or not titled:
            return 0 if (strong or joined) and (titled or low not in ("mar", "dec", "oct", "sep")) else REJECT
        return 0 if cue or joined else REJECT
    if low == "august" and word.islower():
        return 0 if cue or joined else REJECT
    if word.islower() or word.isupper() or low not in ("april", "june", "august"):
        return 0
    named = after[:1] == " " and after[1:2].isupper() and after[2:3].islower() and not cue
    return REJECT if named else 0


def _year(place: Place) -> int:
    if not edges(place) or code(place) and not _year_prefix(place):
        return REJECT
    if place.text[place.begin - 1 : place.begin] in ("@", "+", "<", ">", "~", "*", "^", "≥", "≤", "±", "x", "×"):
        return REJECT
    right = place.text[place.end : place.end + 1]
    if right in ("+", "°", "*", "=", "×") or (right == "," and place.text[place.end + 1 : place.end + 4].isdigit()):
        return REJECT
    before, after = place.before, place.after
    if cues.COUNTED.match(after) or cues.YEAR_NAME_AFTER.match(after) or cues.YEAR_STREET_BEFORE.search(before):
        return REJECT
    number = int(place.hit[:4])
    strong = cues.YEAR_STRONG.search(before)
    if cues.NUMBER_OF.search(before) and not strong:
        return REJECT
    if number % 100 < 60 and not strong:
        if cues.YEAR_CLOCK_BEFORE.search(before) or cues.YEAR_CLOCK_AFTER.match(after):
            return REJECT
        if 0 < place.last <= place.begin and place.text[place.last : place.begin].strip(" ,\t") in ("", "at", "@", "-"):
            return REJECT
    if number > LATEST_YEAR:
        return 0 if cues.YEAR_CUE.search(before) or place.follows_date or place.support() else REJECT
    return 0


def _year_prefix(place: Place) -> bool:
    """Whether what a hyphen binds to the year is a word like `pre-` or `-present`."""
    left, right = place.before.lower(), place.after[:12].lower()
    behind = not right.startswith(("-", "_")) or right.startswith(("-era", "-pres", "-now", "-base", "-to", "-curr"))
    bound = left.endswith(("-", "_")) and left[-2:-1].isalnum()
    return behind and (not bound or left.rstrip("-").endswith(("pre", "post", "mid", "early", "late", "since", "ca")))


def _year_span(place: Place) -> int:
    if not edges(place) or code(place) or cues.COUNTED.match(place.after) or cues.NUMBER_OF.search(place.before):
        return REJECT
    return 0


def _short_year(place: Place) -> int:
    if place.text[place.begin - 1 : place.begin].isalnum() or cues.COUNTED.match(place.after):
        return REJECT
    return 0 if cues.SHORT_YEAR_CUE.search(place.before) else REJECT


def _decade(place: Place) -> int:
    return 0 if edges(place) and not code(place) else REJECT


def _short_decade(place: Place) -> int:
    if not place.before.lower().endswith(
        ("the ", "the early ", "the mid ", "the late ", "the mid-", "early-", "late-")
    ):
        return REJECT
    if cues.VITALS.search(place.before) or cues.PULSE_AFTER.match(place.after):
        return REJECT
    return 0 if not place.hit[0].isdigit() or cues.DECADE_CUE.search(place.before) else REJECT


def _season(place: Place) -> int:
    if place.text[place.begin - 1 : place.begin].isalnum() or cues.SEASON_VETO.match(place.after):
        return REJECT
    if place.hit.lower() == "fall":
        return 0 if cues.FALL_AFTER.match(place.after) and cues.FALL_CUE.search(place.before) else REJECT
    return 0 if cues.SEASON_CUE.search(place.before) else REJECT


def _season_year(place: Place) -> int:
    if place.hit[:4] == "fall" and cues.FALL_EVENT.search(place.before):
        return REJECT
    if (
        place.text[place.begin - 1 : place.begin].isalnum()
        or place.after[:1].isalnum()
        or cues.COUNTED.match(place.after)
    ):
        return REJECT
    return 0


def _ordinal(place: Place) -> int:
    before, after = place.before, place.after
    if place.text[place.begin - 1 : place.begin].isalnum() or (
        place.before[-1:] in ("-", "/", ".") and place.begin != place.last
    ):
        return REJECT
    if cues.ORDINAL_VETO.match(after) or not cues.ORDINAL_FREE.match(after):
        return REJECT
    if (place.follows_date and place.last) or cues.ORDINAL_THEN_MONTH.match(after):
        return 0
    low = (place.readings[0].begin.day or 0) <= 3
    words = place.hit[0].isalpha()
    if cues.ORDINAL_STRONG.search(before):
        return REJECT if words and low else 0
    if low or words:
        return REJECT
    if cues.ORDINAL_CUE.search(before):
        return 0
    if cues.ORDINAL_DAY_PART.match(after) and cues.ORDINAL_CONTEXT.search(before):
        return 0
    return 1 if cues.ORDINAL_CONTEXT.search(before) else REJECT


def _weekday(place: Place) -> int:
    if place.text[place.begin - 1 : place.begin].isalnum() or cues.FREQUENCY.search(place.before):
        return REJECT
    return REJECT if place.hit[0].isupper() and cues.PERSON_BEFORE.search(place.before) else 0


def _short_weekday(place: Place) -> int:
    word, low = place.hit, place.hit.lower()
    if place.text[place.begin - 1 : place.begin].isalnum() or cues.FREQUENCY.search(place.before):
        return REJECT
    if (
        cues.WEEKDAY_VETO.match(place.after)
        or not word[0].isupper()
        or (word.isupper() and low in ("sat", "sun", "wed", "mon", "fri"))
    ):
        return REJECT
    if low in ("tues", "thurs", "thur", "weds"):
        return 0
    if low in ("sat", "sun"):
        return (
            0
            if cues.WEEKDAY_STRONG.search(place.before)
            or place.after[:1] in (".", ",", ":", ")")
            and cues.WEEKDAY_CUE.search(place.before)
            else REJECT
        )
    return 0 if cues.WEEKDAY_CUE.search(place.before) else REJECT


def _holiday(place: Place) -> int:
    left = place.text[place.begin - 1 : place.begin]
    if left.isalnum() or left in ("'", "’") or cues.HOLIDAY_VETO.match(place.after):
        return REJECT
    return 0


def _quarter(place: Place) -> int:
    return 0 if edges(place) and not code(place) else REJECT


JUDGES: dict[Shape, Callable[[Place], int]] = {
    Shape.FULL: _full, Shape.DOTTED: _dotted, Shape.SPACED: _spaced, Shape.PAIR: _pair, Shape.HYPHEN_PAIR: _hyphen_pair,
    Shape.MONTH_YEAR: _month_year, Shape.SHORT_MONTH_YEAR: _short_month_year, Shape.YEAR_MONTH: _year_month,
    Shape.COMPACT: _compact, Shape.SHORT_COMPACT: _short_compact, Shape.NAMED_DAY: _named_day,
    Shape.NAMED_SHORT_YEAR: _named_short_year, Shape.MONTH: _month, Shape.YEAR: _year, Shape.YEAR_SPAN: _year_span,
    Shape.SHORT_YEAR: _short_year, Shape.DECADE: _decade, Shape.SHORT_DECADE: _short_decade, Shape.SEASON: _season,
    Shape.SEASON_YEAR: _season_year, Shape.ORDINAL: _ordinal, Shape.WEEKDAY: _weekday, Shape.SHORT_WEEKDAY: _short_weekday,
    Shape.HOLIDAY: _holiday, Shape.QUARTER: _quarter,
}  # fmt: skip


def judge(shape: Shape, place: Place) -> int:
    """How much support the hit lacks to be taken for a date: 0 for a date, `REJECT` for none, between them in doubt."""
    return JUDGES[shape](place)
