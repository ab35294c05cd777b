"""Lists of days and months that share a month or a year: `3, 5 and 9 March 2020`, `March 3, 5 and 9`, `March and April 2020`.

Only one item of such a list names its month or year. Each other item becomes an expression of its own, so that none stays as it
is beside shifted ones. A number is an item only if what is between it and the next one joins days, in some twenty languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from .calendar import FOREIGN_MONTH_NAMES, Calendar
from .expression import DateExpression
from .interpretation import DateInterpretation, PartialDate
from .other_calendars import GREGORIAN
from .rules import Shape

_AND = (
    "and|or|to|through|thru|until|till|und|oder|bis|et|ou|au|y|o|u|al?|hasta|e|ed|ao|até|en|of|tot|t/m|och|till|og|eller|til|ja|tai|i|oraz"
    "|lub|do|až|alebo|nebo|nebo|és|vagy|ve|veya|ile|și|sau|ir|un|dhe|in|и|или|до|по|та|і|або|και|έως|dan|và"
)
_ARTICLE = r"(?:(?:the|el|le|les|los|den|dem|zum|am|il|la|det|de|o)[ ])?"
_SUFFIX = r"(?:st|nd|rd|th|er|ª|º|°|\.)?"
_JOINT = rf"(?:[ ]?,?[ ](?:{_AND})[ ]{_ARTICLE}|[ ]?[&+][ ]?|,[ ]?|[ ]?[-–—/][ ]?)"
_DAY_BEFORE = lazy_regex(rf"(?<![\w.,/:$€£#%+-])(?<!\d[ ])(?P<d>[0-3]?\d){_SUFFIX}(?P<joint>{_JOINT})\Z", re.IGNORECASE)
_DAY_AFTER = lazy_regex(
    rf"(?P<joint>{_JOINT})(?P<d>[0-3]?\d)(?:st|nd|rd|th)?(?=[ ]?(?:[;)\]]|[.,](?!\d)|$|\n)|[ ](?:&"
    rf"|and|or|at|in|for|with|when|while|after"
    r"|before|but|by|he|she|they|as|then|was|were|due|noted|to)\b)(?![ ](?:to|or|and"
    r"|in)[ ]\d+[ ]?(?:mg|ml|days|weeks|hours|min|%))",
    re.IGNORECASE,
)
_MONTH_BEFORE = lazy_regex(rf"(?<![^\W_])(?P<word>[^\W\d_]{{3,14}})\.?{_JOINT}\Z", re.IGNORECASE)
_SEVERAL = lazy_regex(rf"\d{{1,2}}{_SUFFIX}{_JOINT}\d", re.IGNORECASE)
_DAY_AT_END = lazy_regex(r"(?<!\d)\d{1,2}(?:st|nd|rd|th|\.)?\Z")
_YEAR_AFTER = lazy_regex(r",?[ ]((?:19|20)\d\d)(?!\d)")
_STARTS_WITH_DAY = lazy_regex(r"\d{1,2}(?!\d)")
_COUNTED = lazy_regex(
    r"\b(?:doses?|grades?|stages?|types?|cycles?|numbers?|nos?\.?|phases?|levels?|rooms?|beds?"
    r"|scores?|class|groups?|teeth|tooth|toes?|fingers?"
    r"|ribs?|case|cases|page|pages|visit|q|x|than|times|over|under|[a-zA-Z]\d?)[ ]?[:#]?[ ]?\Z",
    re.IGNORECASE,
)
_LIST_START = lazy_regex(
    r"(?:^|[\n.;:(\[–—]|\b(?:on|from|of|the|dates?|days?|between|since|and|los|les|le|il|el|am|den"
    r"|dias|días|vom|del|du|dal|since))[ ]?\Z",
    re.IGNORECASE,
)
_BACK, _AHEAD = 40, 48
_MOST = 31
_VERBS = frozenset(("march", "may", "mars", "mar", "set", "sept", "ago", "out"))
_IN_DIGITS = frozenset({Shape.FULL, Shape.DOTTED})
_NO_DAYS_JOIN = (frozenset("/"), frozenset("/-–—"))
"""Signs that join no days before a date with the name of its month, and before one in digits: `day 1 -1/18/2021`."""
_WITH_MONTH = frozenset({Shape.NAMED, Shape.NAMED_DAY, Shape.NAMED_SHORT_YEAR, Shape.FULL, Shape.DOTTED})


def with_lists(text: str, dates: list[DateExpression], calendar: Calendar) -> list[DateExpression]:
    """Return the dates and the other items of the lists that they belong to, in order. Linear in the length of the text."""
    found: list[DateExpression] = []
    begins = {date.begin: date for date in dates}
    ends = {date.end: date for date in dates}
    for date in dates:
        stated = date.interpretations[0].begin
        if stated.month is None or date.shape not in _WITH_MONTH:
            continue
        if stated.day is None:
            found += _months_before(text, date, ends, calendar)
        elif _STARTS_WITH_DAY.match(text, date.begin):
            found += _days_before(text, date, ends)
        elif _DAY_AT_END.search(text, date.begin, date.end):
            found += _days_after(text, date, begins)
    if not found:
        return dates
    taken, kept = 0, []
    for date in sorted((*dates, *found), key=lambda d: (d.begin, -d.end)):
        if date.begin >= taken:
            kept.append(date)
            taken = date.end
    return kept


def _item(begin: int, end: int, rule: str, shape: Shape, date: PartialDate) -> DateExpression:
    layout = "D Mon" if date.day else "Mon"
    return DateExpression(begin, end, rule, shape, (DateInterpretation(layout + " Y" * (date.year is not None), date),))


def _days_before(text: str, date: DateExpression, ends: dict[int, DateExpression]) -> Iterator[DateExpression]:
    """Yield the days before a day with its month: `3` and `5` of `3, 5 and 9 March 2020`."""
    first = date.interpretations[0].begin
    begin, year, month = date.begin, first.year, first.month or 1
    number = _STARTS_WITH_DAY.match(text, begin)
    later = int(number[0]) if number else first.day or 0
    items: list[DateExpression] = []
    alone, bare_comma = _SEVERAL.match(text, begin) is None, False
    for _ in range(_MOST):
        match = _DAY_BEFORE.search(text, max(0, begin - _BACK), begin)
        if match is None:
            break
        other = ends.get(match.start("joint"))
        day = int(match["d"])
        if not 1 <= day <= _MOST or (
            not items and not _NO_DAYS_JOIN[date.shape in _IN_DIGITS].isdisjoint(match["joint"])
        ):
            break
        if day >= later:
            month, year = (month - 1, year) if month > 1 else (12, None if year is None else year - 1)
        bare_comma = bare_comma or (alone and not items and match["joint"].strip() == ",")
        later, begin = day, other.begin if other else match.start("d")
        if other is None:
            items.append(
                _item(begin, match.start("joint"), "d, d Mon y", Shape.NAMED_DAY, PartialDate(year, month, day))
            )
    window = text[max(0, begin - 16) : begin]
    if not items or _COUNTED.search(window) or (bare_comma and not _LIST_START.search(window)):
        return
    yield from items


def _days_after(text: str, date: DateExpression, begins: dict[int, DateExpression]) -> Iterator[DateExpression]:
    """Yield the days after a month with its day: `5` and `9` of `March 3, 5 and 9`."""
    likeliest = date.interpretations[0]
    first = likeliest.end or likeliest.begin
    end, earlier, items = date.end, first.day or 0, list[DateExpression]()
    joined = False
    for _ in range(_MOST):
        match = _DAY_AFTER.match(text, end, end + _AHEAD)
        if match is None or not earlier < int(match["d"]) <= _MOST or match.start("d") in begins:
            break
        earlier, end = int(match["d"]), match.end()
        joined = match["joint"].strip() != ","
        items.append(
            _item(match.start("d"), end, "Mon d, d", Shape.NAMED_DAY, PartialDate(first.year, first.month, earlier))
        )
    year = _YEAR_AFTER.match(text, end) if items else None
    if year is not None and first.year is None:
        yield _item(year.start(1), year.end(1), "year of a list", Shape.YEAR, PartialDate(int(year[1])))
    if joined or year is not None:
        yield from items


def _months_before(
    text: str, date: DateExpression, ends: dict[int, DateExpression], calendar: Calendar
) -> Iterator[DateExpression]:
    """Yield the months before a month with its year: `March` of `March and April 2020`."""
    first = date.interpretations[0].begin
    begin, later, year = date.begin, first.month or 0, first.year
    for _ in range(12):
        match = _MONTH_BEFORE.search(text, max(0, begin - _BACK), begin)
        word = match["word"].lower() if match else ""
        month = calendar.months.get(word) or FOREIGN_MONTH_NAMES.get(word) or GREGORIAN.get(word)
        if (
            match is None
            or month is None
            or (word in _VERBS and match["word"].islower() and text[date.begin].isupper())
        ):
            return
        if month >= later and year is not None:
            year -= 1
        begin, later = match.start("word"), month
        if match.end("word") not in ends:
            yield _item(begin, match.end("word"), "Mon, Mon y", Shape.NAMED, PartialDate(year, month))
