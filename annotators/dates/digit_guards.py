"""Decides whether digits are a date in their context, or a fraction, a score, a count, a code, an hour."""

from __future__ import annotations

from ...pipeline.storage.lazy_regex import lazy_regex
from . import cues
from . import negative_cues as against
from .calendar import LATEST_YEAR
from .context import REJECT, DateContext

_SPOKEN_YEARS = range(1930, 2028)
"""Years of living memory; other numbers after `around` or `by` are hours: `around 2030 she slept`."""
_PARTS = lazy_regex(r"\D+")
_ISO_BEHIND = lazy_regex(r"/\d{4}-\d{1,2}-\d{1,2}(?!\d)")
_MONTH_YEAR_BEHIND = lazy_regex(r"[-–]\d{1,2}[/.]\d{4}(?!\d)")
_COMPACT_BEHIND = lazy_regex(r"[-–]\d{8}(?!\d)")
_SPANS: dict[int, tuple[int, ...]] = {7: (10, 14, 21, 28), 12: (18, 24), 24: (36, 48), 40: (), 52: ()}
"""Numbers of days and months that courses of treatment last: `14/7`, `18/12`."""
_WEEKS = lazy_regex(r"(?<![\d/.])\d{1,2}/52(?![\d/])")
"""`6/52` is six weeks, never a date."""
_STYLE_WINDOW = 3000
"""Code points before and after a fraction in which one of 52 weeks shows how the writer counts."""
_GRADED = 66
"""Denominators below are those of many scores: `48/60`, `6/36`, `12/56`."""
_SCALES = {4, 5, 6, 8, 10}
"""Greatest numbers of scores: strength of five, murmur of six, pain of ten."""
_FRACTIONS = {(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)}


def full(ctx: DateContext) -> int:
    if _ISO_BEHIND.match(ctx.after):  # 2021-03-04/2021-03-10
        return REJECT if ctx.touched or ctx.left == "/" else 0
    hyphens = "/" not in ctx.covered
    if not ctx.whole(letters_touch=not hyphens) or (hyphens and ctx.hyphenated):
        return REJECT
    return REJECT if hyphens and len(ctx.covered) < 9 and against.CODE_OF.search(ctx.before) else 0


def dotted(ctx: DateContext) -> int:
    if not ctx.whole() or ctx.hyphenated or _number_of(ctx) or against.SCORE.search(ctx.before):
        return REJECT
    if against.COUNTED.match(ctx.after):
        return REJECT
    padded = all(len(part) == 2 for part in ctx.covered.split("."))
    apart = (
        ctx.before.endswith(("  ", "\t", "\n"))
        or ctx.begin == 0
        or ctx.after.startswith(("  ", "\t", "\n"))
        or not ctx.after
    )
    return 0 if padded or apart else ctx.doubt(1)


def spaced(ctx: DateContext) -> int:
    around = ctx.text[max(0, ctx.begin - 2) : ctx.begin] + ctx.text[ctx.end : ctx.end + 2]
    if not ctx.whole() or any(c.isdigit() for c in around):
        return REJECT
    known = cues.BIRTH if len(ctx.covered) < 10 else cues.DATED
    return 0 if known.search(ctx.before) else REJECT


def pair(ctx: DateContext) -> int:
    """Judge `3/4`: the smaller the numbers, the likelier a fraction, and the more support is needed."""
    tied = ctx.left == "-" and ctx.begin > 1 and ctx.text[ctx.begin - 2].isalpha()
    equal = ctx.left == "=" and not ctx.strong
    if not ctx.whole() or tied or equal or against.SCORE.search(ctx.before) or against.COUNTED.match(ctx.after):
        return REJECT
    if ctx.interpretations[0].end is not None:
        return _pair_of_days(ctx)
    first, second = _PARTS.split(ctx.covered)
    a, b = int(first), int(second)
    if ctx.right == "/" or (a, b) == (24, 7) or against.WEIGHTY_AFTER.match(ctx.after):
        return REJECT
    if b == 10 and (len(first) == 1 or a == 10) and against.PAIN.search(ctx.before) and not ctx.strong:
        return REJECT
    if b in against.DENOMINATORS and second[0] != "0" and not ctx.strong:
        lasting = a <= b or a in _SPANS[b]
        if lasting and (_duration(ctx) or (b <= 12 and _treated(ctx))):
            return REJECT
        if b > 12:
            return 0 if cues.NOTED.search(ctx.before) else ctx.doubt(1)
        if lasting:
            return max(1, ctx.doubt(1))
    needed = 2 if (a, b) == (10, 10) or " / " in ctx.covered else 1 if " " in ctx.covered or "\\" in ctx.covered else 0
    if a <= b <= 12 and len(first) == 1 and b != 11:
        mixed = ctx.begin > 1 and ctx.left == " " and ctx.text[ctx.begin - 2].isdigit()
        if mixed and a < b and b in (2, 3, 4, 8) and not cues.CLOCK_BEFORE.search(ctx.before):
            return REJECT  # 2 1/2
        if against.PAIR_BEFORE.search(ctx.before) and not ctx.follows_any:
            return REJECT
        doubtful = (
            b in _SCALES or (a == b and b <= 6) or (a, b) in _FRACTIONS or against.FRACTION_AFTER.match(ctx.after)
        )
        needed = max(needed, 2 if doubtful else 1)
    return 0 if needed and cues.NOTED.search(ctx.before) else ctx.doubt(needed)


def _duration(ctx: DateContext) -> bool:
    """Return True for `for 5/7`, `2/12 history`: days, months or weeks as a fraction."""
    return bool(against.DURATION_BEFORE.search(ctx.before) or against.DURATION_AFTER.match(ctx.after))


def _treated(ctx: DateContext) -> bool:
    """Return True for `with 3/7 confusion`, `then 3/12` near a fraction of 52 weeks: the writer counts days and months so too."""
    near = ctx.text[max(0, ctx.begin - _STYLE_WINDOW) : ctx.end + _STYLE_WINDOW]
    if not _WEEKS.search(near):
        return False
    return bool(against.TREATED_BEFORE.search(ctx.before) or against.TREATED_AFTER.match(ctx.after))


def _pair_of_days(ctx: DateContext) -> int:
    if against.CLOCK.match(ctx.after):
        return REJECT
    return 0 if (ctx.interpretations[0].begin.day or 0) > 12 else ctx.doubt(1)


def hyphen_pair(ctx: DateContext) -> int:
    if not ctx.whole() or ctx.hyphenated or against.COUNTED.match(ctx.after) or against.CLOCK.match(ctx.after):
        return REJECT
    if against.WEIGHTY_AFTER.match(ctx.after) or against.SCORE.search(ctx.before) or _number_of(ctx):
        return REJECT
    a, b = _PARTS.split(ctx.covered)
    padded = len(a) == len(b) == 2 and "0" in (a[0], b[0])
    plain = padded or int(a) <= 12 < int(b)
    if plain and (cues.DATED.search(ctx.before) or ctx.follows_date):
        return 0
    apart = ctx.before.endswith("   ") or ctx.after[:1] in ("\n", "") or cues.NOTED.search(ctx.before)
    return 1 if ctx.strong or (apart and (plain or int(b) <= 12 < int(a))) else REJECT


def month_year(ctx: DateContext) -> int:
    tied = ctx.hyphenated and not _MONTH_YEAR_BEHIND.match(ctx.after)
    if not ctx.whole() or tied or against.COUNTED.match(ctx.after) or _number_of(ctx):
        return REJECT
    if "." in ctx.covered:
        return ctx.doubt(2)
    return ctx.doubt(2) if int(ctx.covered[-4:]) > LATEST_YEAR else ctx.doubt(1) if "-" in ctx.covered else 0


def short_month_year(ctx: DateContext) -> int:
    if not ctx.whole() or ctx.hyphenated or against.COUNTED.match(ctx.after) or against.SCORE.search(ctx.before):
        return REJECT
    if against.WEIGHTY_AFTER.match(ctx.after) or against.PAIR_BEFORE.search(ctx.before):
        return REJECT
    if cues.DATED.search(ctx.before):
        return 0
    if int(ctx.covered[-2:]) in against.DENOMINATORS:
        return REJECT
    if cues.YEAR_STRONG.search(ctx.before):
        return 0
    titre = ctx.covered[0] == "1" and not ctx.covered[1].isdigit()  # 1/40, 1/80
    low = int(ctx.covered[-2:]) < _GRADED
    return ctx.doubt(2 if low else 1) if "/" in ctx.covered and not titre else REJECT


def year_month(ctx: DateContext) -> int:
    if not ctx.whole() or ctx.hyphenated or against.COUNTED.match(ctx.after) or _number_of(ctx):
        return REJECT
    return ctx.doubt(2) if "." in ctx.covered else 0


def compact(ctx: DateContext) -> int:
    tied = ctx.hyphenated and not _COMPACT_BEHIND.match(ctx.after)
    if not ctx.whole() or tied or _number_of(ctx) or against.COUNTED.match(ctx.after):
        return REJECT
    return 0


def stamp(ctx: DateContext) -> int:
    return REJECT if ctx.touched or (ctx.left in "#-./" and ctx.left) else 0


def dotted_day(ctx: DateContext) -> int:
    """Judge `27.1.`, `31.10`: another date with dots is needed, and a cue or a date in the same month."""
    if not ctx.whole() or _number_of(ctx) or against.COUNTED.match(ctx.after) or against.SCORE.search(ctx.before):
        return REJECT
    if ctx.covered.endswith("."):
        if ctx.strong and len(ctx.covered) > 5:
            return 0  # on 04.03.
        ends = ctx.after[:1] == " " and ctx.after[1:2].isupper()  # 11.2. Mother is well
        return 1 if ctx.support or not ends else REJECT
    return 1


def roman_day(ctx: DateContext) -> int:
    return 1 if ctx.whole() and not ctx.hyphenated else REJECT


def short_compact(ctx: DateContext) -> int:
    return compact(ctx) if cues.DATED.search(ctx.before) else REJECT


def year(ctx: DateContext) -> int:
    before, after = ctx.before, ctx.after
    if not ctx.whole() or (ctx.hyphenated and not _spoken_hyphen(ctx)):
        return REJECT
    starred = ctx.left == "*" and cues.BORN.search(before) is not None
    if (ctx.left and ctx.left in "=@+<>~*^≥≤±x×" and not starred) or (ctx.right and ctx.right in "+°*=×"):
        return REJECT
    if ctx.right == "," and ctx.after[1:4].isdigit():
        return REJECT
    if against.COUNTED.match(after) or against.STREET_AFTER.match(after) or against.STREET_BEFORE.search(before):
        return REJECT
    number = int(ctx.covered)
    strong = cues.YEAR_STRONG.search(before) or cues.BIRTH.search(before) or starred or cues.BIRTH_AFTER.match(after)
    if not strong and (_number_of(ctx) or (number % 100 < 60 and _hours(ctx))):
        return REJECT
    if number > LATEST_YEAR:
        return 0 if cues.YEAR_CUE.search(before) or ctx.support else REJECT
    return 0


def _hours(ctx: DateContext) -> bool:
    """Return True if four digits are a clock time: `at 1930`, `4/7/21 1930`, `1730 on 4/7`."""
    if against.HOURS_BEFORE.search(ctx.before) or against.HOURS_AFTER.match(ctx.after):
        return True
    if int(ctx.covered) not in _SPOKEN_YEARS and against.AROUND_BEFORE.search(ctx.before):
        return True
    gap = ctx.text[ctx.last : ctx.begin] if 0 < ctx.last <= ctx.begin else "none"
    return gap.strip(" ,\t") in ("", "at", "@", "-")


def _spoken_hyphen(ctx: DateContext) -> bool:
    """Return True if the hyphen before or after the year belongs to a word like `pre-` or `-present`."""
    left, right = ctx.before.lower(), ctx.after[:12].lower()
    behind = not right.startswith(("-", "_")) or right.startswith(
        ("-born", "-era", "-pres", "-now", "-base", "-to", "-curr")
    )
    bound = left.endswith(("-", "_")) and left[-2:-1].isalnum()
    return behind and (not bound or left.rstrip("-").endswith(("pre", "post", "mid", "early", "late", "since", "ca")))


def short_year(ctx: DateContext) -> int:
    if ctx.touched or against.COUNTED.match(ctx.after):
        return REJECT
    cue = cues.SHORT_YEAR_CUE.search(ctx.before) or cues.BORN.search(ctx.before)
    return 0 if cue or ctx.follows_date else REJECT


def quarter(ctx: DateContext) -> int:
    return REJECT if against.COUNTED.match(ctx.after) else decade(ctx)


def ordinal_date(ctx: DateContext) -> int:
    """Judge `2020-064`: other numbers of cases and documents look the same."""
    if not ctx.whole() or ctx.hyphenated or _number_of(ctx) or against.COUNTED.match(ctx.after):
        return REJECT
    return 0 if ctx.support or cues.DATED.search(ctx.before) else 1


def epoch(ctx: DateContext) -> int:
    """Judge seconds since 1970: only after a word that says so."""
    return 0 if ctx.whole() and not ctx.hyphenated and cues.EPOCH.search(ctx.before) else REJECT


def decade(ctx: DateContext) -> int:
    return 0 if ctx.whole() and not ctx.hyphenated else REJECT


def short_decade(ctx: DateContext) -> int:
    spoken = ("the ", "the early ", "the mid ", "the late ", "the mid-", "early-", "late-")
    if not ctx.before.lower().endswith(spoken):
        return REJECT
    if cues.VITALS.search(ctx.before) or against.PULSE_AFTER.match(ctx.after):
        return REJECT
    return 0 if not ctx.covered[0].isdigit() or cues.DECADE_CUE.search(ctx.before) else REJECT


def _number_of(ctx: DateContext) -> bool:
    return against.NUMBER_OF.search(ctx.before) is not None
