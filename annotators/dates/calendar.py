"""The words of the calendar: months, weekdays, seasons, their abbreviations, misspellings and other languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...typesystem import age_limit
from .interpretation import MONTHS, WEEKDAYS

LATEST_YEAR = age_limit.LATEST_YEAR
"""Two-digit years mean one of the hundred years that end here: `35` is 2035, `36` is 1936."""

_MONTH_ABBREVIATIONS = {
    "jan": 1, "feb": 2, "febr": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
_WEEKDAY_ABBREVIATIONS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}

_FOREIGN_MONTHS = {
    "de": "januar|jänner|jaenner,jan;februar|feber,feb;märz|maerz,mär|mrz|maer;april,apr;mai;juni,jun;juli,jul;august,aug;"
    "september,sep|sept;oktober,okt;november,nov;dezember,dez",
    "fr": "janvier,janv|jan;février|fevrier,févr|fevr|fév|fev;mars;avril,avr;mai;juin;juillet,juil;août|aout;"
    "septembre,sept;octobre,oct;novembre,nov;décembre|decembre,déc|dec",
    "es": "enero,ene;febrero,feb;marzo,mar;abril,abr;mayo,may;junio,jun;julio,jul;agosto,ago;septiembre|setiembre,sep|sept|set;"
    "octubre,oct;noviembre,nov;diciembre,dic",
    "it": "gennaio,gen|genn;febbraio,feb|febb;marzo,mar;aprile,apr;maggio,mag;giugno,giu;luglio,lug;agosto,ago;"
    "settembre,set|sett;ottobre,ott;novembre,nov;dicembre,dic",
    "nl": "januari,jan;februari,feb;maart,mrt;april,apr;mei;juni,jun;juli,jul;augustus,aug;september,sep|sept;"
    "oktober,okt;november,nov;december,dec",
    "pt": "janeiro,jan;fevereiro,fev;março|marco,mar;abril,abr;maio,mai;junho,jun;julho,jul;agosto,ago;setembro,set;"
    "outubro,out;novembro,nov;dezembro,dez",
    "sv": "januari,jan;februari,feb;mars;april,apr;maj;juni,jun;juli,jul;augusti,aug;september,sep|sept;oktober,okt;"
    "november,nov;december,dec",
}
"""Twelve months in order; full names, then abbreviations."""
_FOREIGN_WEEKDAYS = {
    "de": "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo",
    "it": "lunedì|lunedi martedì|martedi mercoledì|mercoledi giovedì|giovedi venerdì|venerdi sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
}
FOREIGN_MONTH_NAMES: dict[str, int] = {
    name: number
    for months in _FOREIGN_MONTHS.values()
    for number, forms in enumerate(months.split(";"), 1)
    for name in forms.split(",")[0].split("|")
}
"""Month number by full name in any language but English."""
FOREIGN_ABBREVIATIONS: dict[str, int] = {
    name: number
    for months in _FOREIGN_MONTHS.values()
    for number, forms in enumerate(months.split(";"), 1)
    for name in forms.replace(",", "|").split("|")[1:]
}
"""Month number by abbreviation, or second spelling, in any language but English."""
LANGUAGES = ("en", *sorted(_FOREIGN_MONTHS))
_REAL_WORDS = frozenset("mach marc marh march morch murch mondy munday frida sanday sonday sunay sundy".split())
"""Words, names and abbreviations that differ by one typo from a month or a weekday but mean something else."""


def misspellings(word: str) -> Iterator[str]:
    """Yield the results of one typo in `word`: a letter lost, doubled, swapped with the next, or a wrong vowel.

    The first letter is kept. After Damerau (1964, CACM 7(3)): one such error explains some 80 % of misspellings.
    """
    for i in range(1, len(word)):
        yield word[:i] + word[i + 1 :]
        yield word[:i] + word[i] + word[i:]
        yield word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
        if word[i] in "aeiou":
            for vowel in "aeiou":
                yield word[:i] + vowel + word[i + 1 :]


def _typos(words: list[str], least: int) -> dict[str, int]:
    """Return the misspellings of words of at least `least` letters, with the index of the word."""
    typos: dict[str, int] = {}
    for number, word in enumerate(words):
        for typo in misspellings(word) if len(word) >= least else ():
            if typo not in words and typo not in _REAL_WORDS and len(typo) > 3:
                typos.setdefault(typo, number)
    return typos


@dataclass(frozen=True)
class Calendar:
    """The calendar words of some languages, and the interpretation of two-digit years.

    `languages` are codes of `LANGUAGES`. `day_first`: `3/4/2020` is 3 April rather than March 4. Raises ValueError for an
    unknown language.
    """

    languages: tuple[str, ...] = ("en",)
    latest_year: int = LATEST_YEAR
    day_first: bool = False

    def __post_init__(self) -> None:
        for language in self.languages:
            if language not in LANGUAGES:
                raise ValueError(f"languages: expected some of {', '.join(LANGUAGES)}, got {language!r}")

    @cached_property
    def months(self) -> dict[str, int]:
        """Month number by lower-case name, abbreviation or misspelling."""
        months: dict[str, int] = {}
        if "en" in self.languages:
            names = [m.lower() for m in MONTHS]
            months = {typo: i + 1 for typo, i in _typos(names, 5).items()}
            months |= {name: i for i, name in enumerate(names, 1)} | _MONTH_ABBREVIATIONS
        for number, forms in self._foreign_months():
            for form in forms.replace(",", "|").split("|"):
                months.setdefault(form, number)
        return months

    @cached_property
    def month_names(self) -> dict[str, int]:
        """Month number by full, correctly spelled name: names that may occur alone."""
        names = {m.lower(): i for i, m in enumerate(MONTHS, 1)} if "en" in self.languages else {}
        for number, forms in self._foreign_months():
            names |= {form: number for form in forms.split(",")[0].split("|") if len(form) > 4}
        return names

    def _foreign_months(self) -> list[tuple[int, str]]:
        known = [_FOREIGN_MONTHS[language] for language in self.languages if language in _FOREIGN_MONTHS]
        return [pair for months in known for pair in enumerate(months.split(";"), 1)]

    @cached_property
    def weekdays(self) -> dict[str, int]:
        """Weekday (0 is Monday) by lower-case name, abbreviation or misspelling."""
        weekdays: dict[str, int] = {}
        if "en" in self.languages:
            names = [w.lower() for w in WEEKDAYS]
            weekdays = _typos(names, 6) | {name: i for i, name in enumerate(names)}
            weekdays |= {"wendsday": 2, "wensday": 2, "wedensday": 2, "wensaday": 2, "saterday": 5}
            weekdays |= _WEEKDAY_ABBREVIATIONS
        for language in self.languages:
            for number, forms in enumerate(_FOREIGN_WEEKDAYS.get(language, "").split()):
                weekdays |= dict.fromkeys(forms.split("|"), number)
        return weekdays

    def year(self, digits: str) -> int:
        """Return the full year of two or four digits."""
        number = int(digits)
        if len(digits) > 2:
            return number
        year = self.latest_year - self.latest_year % 100 + number
        return year if year <= self.latest_year else year - 100


ENGLISH = Calendar()
