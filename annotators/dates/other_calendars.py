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
    "pl name": "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta",
    "fi name": "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
    "ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "lt": "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "el": "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
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
_ALONE: dict[str, int] = {
    word: i
    for language, words in _MORE.items()
    if language not in ("id", "ga", "mi", "mi loan")
    for i, word in enumerate(words.split(), 1)
    if word
    not in (
        "mart",
        "maj",
        "mai",
        "kovo",
        "agost",
        "juny",
        "august",
        "april",
        "september",
        "november",
        "december",
        "ocak",
        "luty",
    )
}
"""Months that need a day only."""
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
    number = FOREIGN_MONTH_NAMES.get(word) or _ALONE.get(word)
    if number is None or word in calendar.months or word in _NAMES or not 1 <= day <= 31:
        return ()
    return single("D Mon", PartialDate(month=number, day=day))


_DAY_LAST = frozenset(word for language in ("hu", "lt") for word in _MORE[language].split())


@rule("other Mon d", Shape.NAMED_DAY, rf"{_WORD}[ ](?P<d>\d{{1,2}})(?!\d)(?:[-–](?P<e>\d{{1,2}})(?!\d))?\.?(?!\w)")
def month_day_before(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a day after its month, as Hungarian and Lithuanian write it: `március 3-5.`"""
    word, day, last = m["month"].lower(), int(m["d"]), int(m["e"] or 0)
    if word not in _DAY_LAST or word in calendar.months or not 1 <= day <= 31:
        return ()
    end = PartialDate(month=GREGORIAN[word], day=last) if last else None
    return single("Mon D", PartialDate(month=GREGORIAN[word], day=day), end)


@rule(
    "y other Mon d",
    Shape.NAMED,
    rf"(?P<y>(?:19|20)\d\d)\.?[ ](?:m\.[ ]|év[ ])?{_WORD}(?:[ ](?P<d>\d{{1,2}})(?!\d)\.?)?(?!\w)",
)
def year_month_day(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret the order of Hungarian and Lithuanian: `2020. március 3.`, `2020 sausio 5`."""
    word, day = m["month"].lower(), int(m["d"]) if m["d"] else None
    number = GREGORIAN.get(word)
    if number is None or word in calendar.months or (word in FOREIGN_MONTH_NAMES and word in _NAMES):
        return ()
    return single("Y Mon D" if day else "Y Mon", PartialDate(int(m["y"]), number, day))


_NAMES = frozenset(["marco", "august"])
"""Months that are also given names."""
FROM_DAY: tuple[DateRule, ...] = (day_month, day_month_alone)
FROM_MONTH: tuple[DateRule, ...] = (month_day, month_day_before)
FROM_YEAR: tuple[DateRule, ...] = (year_month_day,)
