"""Decides whether words are a date in their context, or a verb, a name, a count, an abbreviation of something else."""

from __future__ import annotations

from ...pipeline.storage.lazy_regex import lazy_regex
from . import cues
from . import negative_cues as against
from .context import REJECT, DateContext

_WORDS = lazy_regex(r"[^\W\d_]{3,}")
_VERBS = ("may", "march", "mar", "dec")
"""Months that are verbs or abbreviations of other words (mar: a medication record; dec: decreased)."""
_ABBREVIATIONS = ("mar", "dec", "oct", "sep")
_NAMES = ("may", "march", "august", "mar", "dec", "jan", "jun", "april", "june")
_SHORT_SURE = ("tues", "thurs", "thur", "weds")


def full(ctx: DateContext) -> int:
    """Judge day, month and year with the month in words, or month and year."""
    hit, left, right = ctx.covered, ctx.left, ctx.right
    if hit[0].isdigit() and ctx.begin != ctx.last and _cut_out(ctx):
        return REJECT
    if (hit[0].isalpha() and left.isalpha()) or right.isdigit() or (hit[-1].isalpha() and right.isalpha()):
        return REJECT
    if hit[-1].isdigit():
        long = hit[-4:].isdigit()
        sure = long and ctx.interpretations[0].begin.day is not None  # February 21, 2018 fall
        if (right.isalpha() and not long) or (not sure and against.COUNTED.match(ctx.after)):
            return REJECT
        if right == ":" and ctx.after[1:2].isdigit() and not long and " " in hit:
            return REJECT
    return REJECT if _verb(ctx) else 0


def _cut_out(ctx: DateContext) -> bool:
    """Return True if the digits at the beginning are part of a longer number or a clock time."""
    inside = ctx.begin > 1 and ctx.left in (".", ",", ":") and ctx.text[ctx.begin - 2].isdigit()
    return inside or ctx.left.isdigit()


def _verb(ctx: DateContext) -> bool:
    """Return True for `2020 may be`, `5 march`: a month word at the end that is an ordinary word here."""
    words = [w for w in _WORDS.findall(ctx.covered) if w.lower() in _VERBS]
    if not words or not ctx.covered.endswith(words[-1]) or " of " in ctx.covered:
        return False
    if words[-1][0].isupper() and (ctx.support == 2 or (ctx.support and words[-1] == "Dec")):
        return False
    return against.VERB_AFTER.match(ctx.after) is not None


def named_day(ctx: DateContext) -> int:
    """Judge `5 March`, `March 5`: the number could be an hour, a count or a measure."""
    if full(ctx):
        return REJECT
    hit, after = ctx.covered, ctx.after
    if hit[-1].isdigit() and (
        against.CLOCK.match(after) or after[:1] == "%" or (after[:1] in "/-" and after[1:2].isdigit())
    ):
        return REJECT
    words = _WORDS.findall(hit)
    month = words[0] if hit[0].isalpha() else words[-1]
    if not ctx.support and " " in hit:
        if month in _VERBS and hit[-1] not in "hdt":
            return 1 if month == "dec" else REJECT
        if month.isupper() and month.lower() in _ABBREVIATIONS:
            return 1
    return 0


def named_short_year(ctx: DateContext) -> int:
    spoken = "'" in ctx.covered or "’" in ctx.covered
    if not spoken and (against.CLOCK.match(ctx.after) or against.LISTED.match(ctx.after)):
        return REJECT
    return named_day(ctx)


def month(ctx: DateContext) -> int:
    """Judge a month alone: `may` and `march` need the most evidence, `October` none."""
    word, low, after = ctx.covered, ctx.covered.lower(), ctx.after
    if ctx.touched or ctx.right.isalnum() or (ctx.right in ("'", "’") and after[1:2] != "s"):
        return REJECT
    if ctx.right == "-" and after[1:2].isalpha() and (low in _VERBS or low in ("jan", "sep")):
        return REJECT
    if low in _NAMES and against.PERSON_BEFORE.search(ctx.before):
        return REJECT
    strong = cues.MONTH_STRONG.search(ctx.before) is not None or ctx.follows_date
    strong = strong or cues.MONTH_THEN_MONTH.match(after) is not None
    cue = strong or cues.MONTH_CUE.search(ctx.before) is not None
    titled = word[0].isupper() and word[1:].islower()
    if low in ("may", "march"):
        if against.VERB_AFTER.match(after) and not cues.MONTH_STRONG.search(ctx.before):
            return REJECT
        behind = strong or cues.NOTED.search(ctx.before)
        ends = behind and cues.MONTH_ENDS.match(after)
        return 0 if strong or (cue and titled) or ends else REJECT
    if len(low) < 5 and low not in ("june", "july"):
        ends = cues.MONTH_ENDS.match(after) is not None
        if low in ("mar", "dec", "sep", "jan") or not titled:
            clear = strong or (titled and (cue or cues.NOTED.search(ctx.before)))
            clear = clear or (titled and low != "jan")
            return 0 if (strong and titled) or (clear and ends and low != "mar") else REJECT
        return 0 if cue or ends else REJECT
    if low == "august" and word.islower():
        return 0 if cue else REJECT
    if not titled or low not in ("april", "june", "august"):
        return 0
    surname = after[:1] == " " and after[1:2].isupper() and after[2:3].islower()
    return REJECT if not cue and (surname or against.NAME_AFTER.match(after)) else 0


def season(ctx: DateContext) -> int:
    if ctx.touched or against.SEASON_VETO.match(ctx.after):
        return REJECT
    if ctx.covered.lower() == "fall":
        return 0 if cues.FALL_AFTER.match(ctx.after) and cues.FALL_CUE.search(ctx.before) else REJECT
    return 0 if cues.SEASON_CUE.search(ctx.before) else REJECT


def season_year(ctx: DateContext) -> int:
    if ctx.covered[:4] == "fall" and against.FALL_EVENT.search(ctx.before):
        return REJECT
    return REJECT if ctx.touched or ctx.right.isalnum() or against.COUNTED.match(ctx.after) else 0


def ordinal(ctx: DateContext) -> int:
    """Judge a day of the month alone: never before a noun, and the first three days only after a clear preposition."""
    before, after = ctx.before, ctx.after
    if ctx.touched or (ctx.left in ("-", "/", ".") and ctx.begin != ctx.last):
        return REJECT
    if against.ORDINAL_VETO.match(after) or not cues.ORDINAL_FREE.match(after):
        return REJECT
    if ctx.follows_date or cues.ORDINAL_THEN_MONTH.match(after):
        return 0
    low, words = (ctx.interpretations[0].begin.day or 0) <= 3, ctx.covered[0].isalpha()
    if cues.ORDINAL_STRONG.search(before):
        return REJECT if words and low else 0
    if low or words:
        return REJECT
    context = cues.ORDINAL_CONTEXT.search(before) is not None
    if cues.ORDINAL_CUE.search(before) or (context and cues.ORDINAL_DAY_PART.match(after)):
        return 0
    return 1 if context else REJECT


def weekday(ctx: DateContext) -> int:
    if ctx.touched or against.FREQUENCY.search(ctx.before):
        return REJECT
    return REJECT if ctx.covered[0].isupper() and against.PERSON_BEFORE.search(ctx.before) else 0


def short_weekday(ctx: DateContext) -> int:
    word, low, before = ctx.covered, ctx.covered.lower(), ctx.before
    if weekday(ctx) or against.WEEKDAY_VETO.match(ctx.after) or not word[0].isupper():
        return REJECT
    if low in _SHORT_SURE:
        return 0
    if word.isupper() and low in ("sat", "sun", "wed", "mon", "fri"):
        return REJECT
    strong, cue = cues.WEEKDAY_STRONG.search(before), cues.WEEKDAY_CUE.search(before)
    if low in ("sat", "sun"):
        return 0 if strong or (cue and ctx.right in (".", ",", ":", ")") and ctx.right) else REJECT
    return 0 if cue else REJECT


def holiday(ctx: DateContext) -> int:
    return REJECT if ctx.touched or ctx.left in ("'", "’") or against.HOLIDAY_VETO.match(ctx.after) else 0
