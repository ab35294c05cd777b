"""Whether words are a date where they stand, or a verb, a name, a count, an abbreviation of something else."""

from __future__ import annotations

import re

from . import cues
from . import lookalikes as no
from .place import REJECT, Place

_WORDS = re.compile(r"[^\W\d_]{3,}")
_VERBS = ("may", "march", "mar", "dec")
"""Months that are verbs or abbreviations of other words (mar: a medication record; dec: decreased)."""
_ABBREVIATIONS = ("mar", "dec", "oct", "sep")
_NAMES = ("may", "march", "august", "mar", "dec", "jan", "jun", "april", "june")
_SHORT_SURE = ("tues", "thurs", "thur", "weds")


def full(place: Place) -> int:
    """Day, month and year with the month in words, or month and year."""
    hit, left, right = place.hit, place.left, place.right
    if hit[0].isdigit() and place.begin != place.last and _cut_out(place):
        return REJECT
    if (hit[0].isalpha() and left.isalpha()) or right.isdigit() or (hit[-1].isalpha() and right.isalpha()):
        return REJECT
    if hit[-1].isdigit():
        long = hit[-4:].isdigit()
        if (right.isalpha() and not long) or no.COUNTED.match(place.after):
            return REJECT
        if right == ":" and place.after[1:2].isdigit() and not long and " " in hit:
            return REJECT
    return REJECT if _verb(place) else 0


def _cut_out(place: Place) -> bool:
    """Whether the figures at the beginning are the rest of a number or a clock time."""
    inside = place.begin > 1 and place.left in (".", ",", ":") and place.text[place.begin - 2].isdigit()
    return inside or place.left.isdigit()


def _verb(place: Place) -> bool:
    """`2020 may be`, `5 march`: a month word at the end that is an ordinary word here."""
    words = [w for w in _WORDS.findall(place.hit) if w.lower() in _VERBS]
    if not words or not place.hit.endswith(words[-1]) or " of " in place.hit:
        return False
    if words[-1][0].isupper() and place.support == 2:
        return False
    return no.VERB_AFTER.match(place.after) is not None


def named_day(place: Place) -> int:
    """`5 March`, `March 5`: the figure could be an hour, a count or a measure."""
    if full(place):
        return REJECT
    hit, after = place.hit, place.after
    if hit[-1].isdigit() and (
        no.CLOCK.match(after) or after[:1] == "%" or (after[:1] in "/-" and after[1:2].isdigit())
    ):
        return REJECT
    words = _WORDS.findall(hit)
    month = words[0] if hit[0].isalpha() else words[-1]
    if not place.support and " " in hit:
        if month in _VERBS and hit[-1] not in "hdt":
            return REJECT
        if month.isupper() and month.lower() in _ABBREVIATIONS:
            return 1
    return 0


def named_short_year(place: Place) -> int:
    spoken = "'" in place.hit or "’" in place.hit
    if not spoken and (no.CLOCK.match(place.after) or no.LISTED.match(place.after)):
        return REJECT
    return named_day(place)


def month(place: Place) -> int:
    """A month alone: `may` and `march` ask for most, `October` for nothing."""
    word, low, after = place.hit, place.hit.lower(), place.after
    if place.bound or place.right.isalnum() or (place.right in ("'", "’") and after[1:2] != "s"):
        return REJECT
    if place.right == "-" and after[1:2].isalpha() and (low in _VERBS or low in ("jan", "sep")):
        return REJECT
    if low in _NAMES and no.PERSON_BEFORE.search(place.before):
        return REJECT
    strong = cues.MONTH_STRONG.search(place.before) is not None or place.follows_date
    strong = strong or cues.MONTH_THEN_MONTH.match(after) is not None
    cue = strong or cues.MONTH_CUE.search(place.before) is not None
    titled = word[0].isupper() and word[1:].islower()
    if low in ("may", "march"):
        if no.VERB_AFTER.match(after) and not cues.MONTH_STRONG.search(place.before):
            return REJECT
        return 0 if strong or (cue and titled) else REJECT
    if len(low) < 5 and low not in ("june", "july"):
        if low in ("mar", "dec", "sep", "jan") or not titled:
            return 0 if strong and (titled or low not in _ABBREVIATIONS) else REJECT
        return 0 if cue else REJECT
    if low == "august" and word.islower():
        return 0 if cue else REJECT
    if not titled or low not in ("april", "june", "august"):
        return 0
    surname = after[:1] == " " and after[1:2].isupper() and after[2:3].islower()
    return REJECT if not cue and (surname or no.NAME_AFTER.match(after)) else 0


def season(place: Place) -> int:
    if place.bound or no.SEASON_VETO.match(place.after):
        return REJECT
    if place.hit.lower() == "fall":
        return 0 if cues.FALL_AFTER.match(place.after) and cues.FALL_CUE.search(place.before) else REJECT
    return 0 if cues.SEASON_CUE.search(place.before) else REJECT


def season_year(place: Place) -> int:
    if place.hit[:4] == "fall" and no.FALL_EVENT.search(place.before):
        return REJECT
    return REJECT if place.bound or place.right.isalnum() or no.COUNTED.match(place.after) else 0


def ordinal(place: Place) -> int:
    """A day of the month alone: never before a noun, and the first three days only behind a clear preposition."""
    before, after = place.before, place.after
    if place.bound or (place.left in ("-", "/", ".") and place.begin != place.last):
        return REJECT
    if no.ORDINAL_VETO.match(after) or not cues.ORDINAL_FREE.match(after):
        return REJECT
    if place.follows_date or cues.ORDINAL_THEN_MONTH.match(after):
        return 0
    low, words = (place.readings[0].begin.day or 0) <= 3, place.hit[0].isalpha()
    if cues.ORDINAL_STRONG.search(before):
        return REJECT if words and low else 0
    if low or words:
        return REJECT
    context = cues.ORDINAL_CONTEXT.search(before) is not None
    if cues.ORDINAL_CUE.search(before) or (context and cues.ORDINAL_DAY_PART.match(after)):
        return 0
    return 1 if context else REJECT


def weekday(place: Place) -> int:
    if place.bound or no.FREQUENCY.search(place.before):
        return REJECT
    return REJECT if place.hit[0].isupper() and no.PERSON_BEFORE.search(place.before) else 0


def short_weekday(place: Place) -> int:
    word, low, before = place.hit, place.hit.lower(), place.before
    if weekday(place) or no.WEEKDAY_VETO.match(place.after) or not word[0].isupper():
        return REJECT
    if low in _SHORT_SURE:
        return 0
    if word.isupper() and low in ("sat", "sun", "wed", "mon", "fri"):
        return REJECT
    strong, cue = cues.WEEKDAY_STRONG.search(before), cues.WEEKDAY_CUE.search(before)
    if low in ("sat", "sun"):
        return 0 if strong or (cue and place.right in (".", ",", ":", ")") and place.right) else REJECT
    return 0 if cue else REJECT


def holiday(place: Place) -> int:
    return REJECT if place.bound or place.left in ("'", "’") or no.HOLIDAY_VETO.match(place.after) else 0
