"""Finds dates in text: one fast pass for places where a date could begin, then rules and guards at each place."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

from . import cues, loose, named, numeric
from .calendar import ENGLISH, SEASONS, Calendar
from .guards import REJECT, Place, joined, judge
from .holidays import ANY_CASE, HOLIDAYS
from .numerals import ORDINAL, YEAR
from .reading import DateReading, PartialDate
from .rules import DASH, B, Rule, Shape, with_weekday

_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[^\W\d_])\d(?=\d?/\d{1,2}/\d\d)|['’‘](?=\d)")
_ADDRESS = re.compile(r"(?:://|\bwww\.)[^\s<>\"]{0,120}\Z")
_WORD = re.compile(r"[^\W\d_]+")
_AFTER_WEEKDAY = re.compile(rf"(?:,?[ ]?[-–][ ]?|\.?[ ]?,?{B}(?:the[ ])?|\.?,?\r?\n)", re.IGNORECASE)
_QUALIFIER = re.compile(
    r"(?P<q>early|mid|late|(?:(?:very )?(?:end|beginning|start|middle)|(?:first|second|third|fourth|last|1st|2nd|3rd|4th) "
    r"(?:week|half|part|days|weekend))(?= of ))(?:[ ]?-[ ]?|[ ])(?:of (?:the (?=\d{4}s))?|to (?:mid|late)[- ])?",
    re.IGNORECASE,
)
_JOINT = re.compile(rf"{B}(?:{DASH}){B}|/")
_SUBTLE = {Shape.MONTH, Shape.YEAR, Shape.SEASON, Shape.SHORT_DECADE, Shape.SHORT_YEAR}
_QUALIFIED = _SUBTLE | {
    Shape.FULL,
    Shape.SEASON_YEAR,
    Shape.DECADE,
    Shape.NAMED_DAY,
    Shape.MONTH_YEAR,
    Shape.YEAR_MONTH,
    Shape.QUARTER,
}
_DATED = {
    Shape.FULL, Shape.DOTTED, Shape.PAIR, Shape.NAMED_DAY, Shape.NAMED_SHORT_YEAR, Shape.ORDINAL, Shape.HYPHEN_PAIR,
    Shape.COMPACT, Shape.SPACED,
}  # fmt: skip
_QUALIFIERS = {"end": "end", "last": "end", "beginning": "begin", "start": "begin", "first": "begin", "1st": "begin"}


@dataclass(frozen=True, slots=True)
class DateHit:
    """A date expression: code points `begin:end`, the rule that found it and every reading, likeliest first."""

    begin: int
    end: int
    rule: str
    shape: Shape
    readings: tuple[DateReading, ...]
    lacks: int = 0
    """Support the context does not give, 0 where it is certain enough."""

    def __repr__(self) -> str:
        return f"<DateHit {self.begin}:{self.end} {self.rule}>"


@functools.lru_cache(16)
def _trigger(calendar: Calendar) -> object:
    """One alternation that matches wherever a date could begin."""
    import re2

    def words(found: object) -> str:
        return "|".join(sorted(map(re.escape, found), key=lambda w: (-len(w), w)))  # type: ignore[call-overload]

    months, weekdays = words(calendar.months), words(calendar.weekdays)
    holidays = words(HOLIDAYS).replace("'", "['’]").replace(r"\ ", r"\s{1,2}")
    dash = "[-–—‐‑]"
    day = r"\d{1,2}(?:\s?(?:st|nd|rd|th))?"
    of = r"[\s.,/_–-]{0,5}(?:of\s|de\s|del\s|day\s(?:of\s)?)?(?:the\s)?"
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.max_mem = 64 << 20
    return re2.compile(
        "|".join(
            (
                rf"\d{{1,4}}\s{{0,3}}[/\\]{{1,2}}\s{{0,3}}\d{{1,4}}",
                rf"\d{{1,4}}\s{{0,3}}(?:{dash}|[.])\s{{0,3}}(?:\d{{1,2}}|[ivx]{{1,4}})\s{{0,3}}(?:{dash}|[./\\])\s{{0,3}}\d{{1,4}}",
                rf"{day}\s{{0,3}}(?:{dash}|/|&|to|through|thru|and|or|until)\s{{0,3}}{day}{of}(?:{months})",
                rf"{day}{of}(?:{months})",
                r"\d{1,2}\s?(?:st|nd|rd|th)\b",
                rf"(?:on|dated?|since|dob|:)\s(?:the\s)?\d{{1,2}}{dash}\d{{1,2}}\b",
                r"\b\d{1,2}[.-](?:19|20)\d\d\b",
                rf"(?:18|19|20)\d\ds?",
                r"\b21\d\d[-/.]\d{1,2}[-/.]\d",
                r"\bthe\s[2-9]0['’]?s\b",
                r"\b\d{6}(?:\d\d)?\b",
                r"\b\d\d \d\d (?:19|20)\d\d\b",
                r"['’‘]\d\d",
                rf"\b[1-4]q\s?['’]?\d\d",
                rf"\b(?:q[1-4][\s/,-]|q[1-4]'?\d|fy\s?['’]?\d\d)",
                rf"\b(?:early|mid|late|end|beginning|start|middle|(?:first|second|third|fourth|last)\s(?:week|half|part|days|weekend|quarter)\s)(?:\s|-)",
                rf"(?:\b|_)(?:{months})(?:\b|\d|_)",
                rf"\b(?:{weekdays})\b",
                rf"\b(?:{words(SEASONS)})\b",
                rf"\b(?:{holidays})\b",
                rf"\b{ORDINAL}\b",
                rf"\b{YEAR}\b",
            )
        ),
        options,
    )


def find_dates(text: str, calendar: Calendar = ENGLISH) -> list[DateHit]:
    """Every date expression of `text`, disjoint and in order. Linear in the length of the text."""
    finder = _Finder(text, calendar)
    for match in _trigger(calendar).finditer(text):  # type: ignore[attr-defined]
        begin, end = match.span()
        if end > finder.done:
            finder.look(max(begin, finder.done), end)
    return finder.settle()


class _Finder:
    def __init__(self, text: str, calendar: Calendar) -> None:
        self.text, self.calendar = text, calendar
        self.hits: list[DateHit] = []
        self.done = 0

    def look(self, begin: int, end: int) -> None:
        for start in _START.finditer(self.text, begin, end + 9):
            at = start.start()
            if at >= end:
                break
            if at >= self.done and not self.in_address(at):
                hit = self.at(at)
                if hit is not None:
                    self.hits.append(hit)
                    self.done = hit.end

    def in_address(self, at: int) -> bool:
        """Whether the place lies in a web address: its parts are no dates."""
        return bool(_ADDRESS.search(self.text, max(0, at - 120), at))

    def last(self) -> int:
        """End of the date before, negative where it is in doubt."""
        if not self.hits:
            return 0
        return -self.hits[-1].end if self.hits[-1].lacks else self.hits[-1].end

    def at(self, begin: int) -> DateHit | None:
        """The longest date that begins here and passes its guard, with weekday, qualifier and interval."""
        qualified = self.qualified(begin)
        if qualified is not None:
            return qualified
        hit = self.best(begin, self.last())
        if hit is None:
            return self.weekday_before(begin, None)
        if hit.shape in (Shape.WEEKDAY, Shape.SHORT_WEEKDAY):
            return self.weekday_before(begin, hit)
        return self.interval(hit)

    def best(self, begin: int, last: int, *, allowed: set[Shape] | None = None, sure: bool = False) -> DateHit | None:
        """The longest accepted expression at `begin`; `sure` asks no guard about context words."""
        found: list[tuple[int, int, Rule, tuple[DateReading, ...]]] = []
        for i, rule in enumerate(self.rules(begin)):
            if allowed is not None and rule.shape not in allowed:
                continue
            match = rule.pattern.match(self.text, begin)
            if match is not None:
                readings = rule.read(match, self.calendar)
                if readings:
                    found.append((-match.end(), i, rule, readings))
        for end, _, rule, readings in sorted(found, key=lambda item: item[:2]):
            if sure and rule.shape in _SUBTLE:
                return DateHit(begin, -end, rule.name, rule.shape, readings)
            lacks = judge(rule.shape, Place(self.text, begin, -end, readings, last))
            if lacks < REJECT:
                return DateHit(begin, -end, rule.name, rule.shape, readings, lacks)
        return None

    def rules(self, begin: int) -> tuple[Rule, ...]:
        first = self.text[begin]
        if first.isdigit():
            figures = _FIGURES.match(self.text, begin)
            if figures is None:
                return ()
            if len(figures[1]) in (1, 2):
                return _DAY_THEN_FIGURE if figures[2].isdigit() else _DAY_THEN_WORD
            return {4: _FROM_YEAR, 6: _SIX_FIGURES, 8: _EIGHT_FIGURES}.get(len(figures[1]), ())
        if not first.isalpha():
            return loose.FROM_APOSTROPHE
        word = _WORD.match(self.text, begin)
        low = word[0].lower() if word else ""
        rules: tuple[Rule, ...] = ()
        if low in self.calendar.months:
            rules = named.FROM_MONTH if self.may_stand_alone(low) else named.FROM_MONTH[:-1]
        if low in self.calendar.weekdays:
            rules += loose.FROM_WEEKDAY
        if low in SEASONS:
            rules += loose.FROM_SEASON
        if low in _ORDINAL_STARTS:
            rules += named.FROM_ORDINAL + loose.FROM_ORDINAL
        if low in ("nineteen", "twenty", "two"):
            rules += loose.FROM_YEAR_WORD
        if low in ("q", "fy"):
            rules += loose.FROM_Q
        if low in _HOLIDAY_STARTS and self.holiday_case(begin):
            rules = loose.FROM_HOLIDAY + rules
        return rules

    def may_stand_alone(self, word: str) -> bool:
        return word in self.calendar.month_names or word in _ABBREVIATIONS

    def holiday_case(self, begin: int) -> bool:
        match = loose.holiday.pattern.match(self.text, begin)
        if match is None:
            return False
        name = " ".join(match["h"].lower().replace("’", "'").split())
        if len(name) < 5 and match["h"].isupper():
            return False
        return name in ANY_CASE or all(w[0].isupper() or w[0].isdigit() for w in match["h"].split() if len(w) > 3)

    def qualified(self, begin: int) -> DateHit | None:
        match = _QUALIFIER.match(self.text, begin)
        if match is None:
            return None
        inner = self.best(match.end(), 0, allowed=_QUALIFIED, sure=True)
        if inner is None or inner.lacks:
            return None
        if inner.shape is Shape.SHORT_DECADE and (
            not self.text[:begin].endswith("the ") or cues.VITALS.search(self.text, max(0, begin - cues.BEFORE), begin)
        ):
            return None
        if inner.shape is Shape.YEAR and (
            cues.COUNTED.match(self.text[inner.end : inner.end + cues.AFTER])
            or self.text[inner.end : inner.end + 1].isalnum()
        ):
            return None
        if self.text[begin - 1 : begin].isalnum() or self.text[inner.end : inner.end + 1].isalnum():
            return None
        if (
            inner.shape is Shape.MONTH
            and inner.readings[0].begin.month in (3, 5)
            and cues.MODAL_AFTER.match(self.text[inner.end : inner.end + cues.AFTER])
        ):
            return None
        qualifier = qualifier_of(match["q"])
        inner = self.interval(inner)
        readings = tuple(replace(r, begin=replace(r.begin, qualifier=qualifier)) for r in inner.readings)
        return replace(inner, begin=begin, rule=f"{qualifier} {inner.rule}", readings=readings)

    def weekday_before(self, begin: int, alone: DateHit | None) -> DateHit | None:
        """A weekday with the date behind it, or alone: `Friday, 3/19/21`, `Friday the 5th`, `Fri`."""
        word = _WORD.match(self.text, begin)
        number = self.calendar.weekdays.get(word[0].lower()) if word else None
        if word is None or number is None or self.text[begin - 1 : begin].isalnum():
            return alone
        if alone is None and word[0].islower() and len(word[0]) < 5:
            return None
        gap = _AFTER_WEEKDAY.match(self.text, word.end())
        if gap is not None and gap.end() > word.end() and self.text[gap.end() : gap.end() + 1].isalnum():
            inner = self.best(gap.end(), word.end(), allowed=_DATED)
            if inner is not None and self.fits(inner, gap[0]):
                readings = with_weekday(inner.readings, number) or inner.readings
                return self.interval(
                    replace(inner, begin=begin, rule=f"weekday {inner.rule}", readings=readings, lacks=0)
                )
            figures = loose.day_year.pattern.match(self.text, gap.end())
            if figures is not None:
                readings = with_weekday(loose.day_year.read(figures, self.calendar), number)
                if readings and judge(Shape.FULL, Place(self.text, gap.end(), figures.end(), readings)) == 0:
                    return DateHit(begin, figures.end(), "weekday d, y", Shape.FULL, readings)
        return self.interval(alone) if alone is not None else None

    def fits(self, inner: DateHit, gap: str) -> bool:
        if inner.lacks > 1:
            return False
        if inner.shape is Shape.ORDINAL:
            return "-" not in gap and "–" not in gap
        return True

    def interval(self, hit: DateHit) -> DateHit:
        """The hit with its later end, where a dash and a date of the same sort follow at once."""
        if any(r.end is not None for r in hit.readings) or hit.shape in (Shape.YEAR_SPAN, Shape.QUARTER):
            return hit
        joint = _JOINT.match(self.text, hit.end)
        if joint is None:
            return hit
        at = joint.end()
        if not self.text[at : at + 1].isalnum():
            return hit
        slash = joint[0] == "/"
        later = self.best(at, at, sure=hit.shape in (Shape.MONTH, Shape.SEASON)) or None
        if (
            later is not None
            and later.shape in (Shape.WEEKDAY, Shape.SHORT_WEEKDAY)
            and hit.readings[0].begin.weekday is not None
        ):
            later = self.weekday_before(at, later)
        if (
            later is None
            or later.lacks > 1
            or not _same_sort(hit, later)
            or (slash and hit.readings[0].begin.day is not None)
        ):
            return hit
        if any(r.end is not None for r in later.readings):
            return hit
        pairs = tuple(
            DateReading(b.layout, borrow(a.begin, b.begin), b.begin)
            for a in hit.readings
            for b in later.readings
            if a.layout.replace(" Y", "") == b.layout.replace(" Y", "")
        )
        pairs = pairs or (DateReading(later.readings[0].layout, hit.readings[0].begin, later.readings[0].begin),)
        return DateHit(
            hit.begin, later.end, f"{hit.rule} to {later.rule}", hit.shape, pairs, min(hit.lacks, later.lacks)
        )

    def settle(self) -> list[DateHit]:
        """The certain hits, and those in doubt that the certain ones vouch for."""
        months = {r.begin.month for h in self.hits if not h.lacks and h.shape in _DATED for r in h.readings} - {None}
        sure = {h.begin for h in self.hits if not h.lacks}
        for at in (*range(len(self.hits)), *reversed(range(len(self.hits)))):
            hit = self.hits[at]
            if hit.begin not in sure and self.vouched(at, months, sure):
                sure.add(hit.begin)
        return [hit for hit in self.hits if hit.begin in sure]

    def vouched(self, at: int, months: set[int | None], sure: set[int]) -> bool:
        """Whether other dates of the text speak for a hit in doubt: one of the same month, or the next in a list."""
        hit = self.hits[at]
        if hit.lacks == 1 and (
            hit.shape is Shape.ORDINAL or any(r.begin.month in months for r in hit.readings if r.begin.month)
        ):
            return bool(sure)
        return any(
            other.begin in sure and other.shape is hit.shape and joined(self.text[first.end : second.begin])
            for first, second, other in (
                *((hit, self.hits[at + 1], self.hits[at + 1]) for _ in range(at + 1 < len(self.hits))),
                *((self.hits[at - 1], hit, self.hits[at - 1]) for _ in range(at > 0)),
            )
        )


_FIGURES = re.compile(r"(\d+)[ \t\xa0\r\n]{0,3}[-/.,–—‐‑_&\\]{0,2}[ \t\xa0]{0,3}(.|)")
_FROM_YEAR = numeric.FROM_YEAR + named.FROM_YEAR + loose.FROM_YEAR
_DAY_THEN_FIGURE = (*numeric.FROM_DAY, named.days_month)
_DAY_THEN_WORD = (numeric.roman, *named.FROM_DAY, *loose.FROM_DAY)
_SIX_FIGURES = (numeric.compact_short,)
_EIGHT_FIGURES = (numeric.compact, numeric.compact_last)
_ABBREVIATIONS = frozenset("jan feb febr mar apr jun jul aug sep sept oct nov dec".split())
_ORDINAL_STARTS = frozenset(re.split(r"[- ]", w)[0] for w in ORDINAL[3:-1].split("|"))
_HOLIDAY_STARTS = frozenset(m[0] for form in HOLIDAYS if (m := _WORD.match(form)))


def split_qualifier(text: str) -> tuple[str, str]:
    """The qualifier at the beginning (`early`, `end`), empty where there is none, and the rest."""
    match = _QUALIFIER.match(text)
    return (match["q"], text[match.end() :]) if match else ("", text)


def qualifier_of(words: str) -> str:
    """What `early`, `the very end`, `first week` ... say: early, mid, late, begin or end."""
    word = words.lower().removeprefix("very ").split()[0]
    return _QUALIFIERS.get(word, word if word in ("early", "late") else "mid")


def _same_sort(a: DateHit, b: DateHit) -> bool:
    def sort(hit: DateHit) -> str:
        date = hit.readings[0].begin
        if date.season:
            return "season"
        if date.month is not None or date.day is not None:
            return "date"
        return "weekday" if date.weekday is not None else "year" if date.year is not None else hit.rule

    return sort(a) == sort(b) and not (
        a.shape is Shape.ORDINAL and b.shape is not Shape.ORDINAL and b.shape is not Shape.NAMED_DAY
    )


def borrow(first: PartialDate, later: PartialDate) -> PartialDate:
    """The first end of an interval with the year and the month that only the later end says (`5-7 Oct 2013`)."""
    if first.day is not None and first.month is None:
        first = replace(first, month=later.month)
    if first.year is None and later.year is not None and (first.month is not None or first.season):
        before = (first.month or 0) <= (later.month or 12)
        first = replace(first, year=later.year if before else later.year - 1)
    return first
