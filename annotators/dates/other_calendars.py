"""Months of other languages and calendars in English text: `14 mai 1972`, `2 Mei 2019`, `14/Ramadan/1445`, `Hidar "
"12, 2013`."""

from __future__ import annotations

import re

from .calendar import FOREIGN_ABBREVIATIONS, FOREIGN_MONTH_NAMES, Calendar
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .rules import NO_SUCH_DAY, DateRule, Shape, rule, single

_MORE = {
    "id": "januari februari maret april mei juni juli agustus september oktober november desember",
    "ga": "eanáir feabhra márta aibreán bealtaine meitheamh iúil lúnasa meán_fómhair deireadh_fómhair samhain nollaig",
    "mi": "kohitātea huitanguru poutūterangi paengawhāwhā haratua pipiri hōngongoi hereturikōkā mahuru whiringa-ā-nuku "
    "whiringa-ā-rangi hakihea",
    "mi loan": "hānuere pēpuere māehe āperira mei hune hūrae ākuhata hepetema oketopa noema tīhema",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}
"""Twelve months in order, in languages whose notes mix them with English."""
_OTHER = (
    # Islamic
    "muharram safar rabi jumada rajab shaban sha'ban ramadan ramzan ramadhan shawwal dhu "
    # Ethiopian
    "meskerem tikimt tekemt hidar tahsas tir yekatit megabit miazia miyazya ginbot sene hamle nehase "
    # Nepali and Indian
    "baisakh jestha asadh ashadh shrawan bhadra ashwin kartik mangsir poush paush magh falgun phalgun chaitra"
).split()
"""Months of other calendars, whose days the rules do not convert."""

GREGORIAN: dict[str, int] = {
    **{word.replace("_", " "): i for words in _MORE.values() for i, word in enumerate(words.split(), 1)},
    **FOREIGN_MONTH_NAMES,
}
ABBREVIATIONS: dict[str, int] = {w: i for w, i in FOREIGN_ABBREVIATIONS.items() if w not in GREGORIAN}
"""Abbreviated months of other languages: only with a day and a year."""
OTHER_MONTHS: tuple[str, ...] = tuple(sorted({*GREGORIAN, *_OTHER}))
_WORD = r"(?P<month>[^\W\d_]{3,12}(?:['’-][^\W\d_]+)*)"
_YEAR = r"(?P<y>(?:19|20|14)\d\d)(?!\d)"


def _read(m: re.Match[str], calendar: Calendar) -> Interpretations:
    word = m["month"].lower()
    number = GREGORIAN.get(word) or (ABBREVIATIONS.get(word) if m["y"] and m["d"] else None)
    year, day = (int(m["y"]) if m["y"] else None), (int(m["d"]) if m["d"] else None)
    if day is not None and not 1 <= day <= 31:
        return ()
    if word in calendar.months:
        return ()
    if number is not None:
        layout = "D Mon Y" if day else "Mon Y"
        return () if year is None else single(layout, PartialDate(year, number, day))
    if word not in _OTHER or (year is None and word in _AMBIGUOUS):
        return ()
    return (DateInterpretation(NO_SUCH_DAY, PartialDate(year=year)),)


_AMBIGUOUS = frozenset("tir dhu rabi sene safar magh".split())
"""Months that are also other words: only with a day and a year."""
day_month = rule(
    "d other Mon y",
    Shape.NAMED,
    rf"(?P<d>\d{{1,2}})(?:(?:er|st|nd|rd|th|[.º°ú])?[ /-]{{1,2}}|\.)(?:d[eo][ ])?{_WORD}"
    rf"(?:(?:[.,]?[ /-]{{1,2}}|\.)(?:d[eo]l?[ ])?{_YEAR}(?:[ ]E\.C\.)?)?(?!\w)",
)(_read)
month_day = rule(
    "other Mon d y",
    Shape.NAMED,
    rf"{_WORD}[ ](?:d[eo]l?[ ](?=\d{{4}}))?(?:(?P<d>\d{{1,2}})(?!\d)(?:,[ ]?)?)?(?:{_YEAR}(?:[ ]E\.C\.)?)?(?!\w)",
)(_read)


@rule("d other Mon", Shape.NAMED_DAY, rf"(?P<d>\d{{1,2}})(?:er|[.º°ª])?[ /-]{{1,2}}(?:d[eo][ ])?{_WORD}(?!\w)")
def day_month_alone(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a day with the full name of its month, without a year: `4 mars`, `4 de marzo`."""
    word, day = m["month"].lower(), int(m["d"])
    number = FOREIGN_MONTH_NAMES.get(word)
    if number is None or word in calendar.months or word in _NAMES or not 1 <= day <= 31:
        return ()
    return single("D Mon", PartialDate(month=number, day=day))


_NAMES = frozenset(["marco", "august"])
"""Months that are also given names."""
FROM_DAY: tuple[DateRule, ...] = (day_month, day_month_alone)
FROM_MONTH: tuple[DateRule, ...] = (month_day,)
