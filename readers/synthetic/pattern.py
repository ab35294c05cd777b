"""Patterns of dates, ages and names: `{token}` is a part of the value, guillemets mark PHI.

`date_tokens`, `age_tokens` and `NAME_TOKENS` have the meaning of the tokens of days, ages and people.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from .pieces import Piece
from .sections import Line, Section

T = TypeVar("T")
_MARKED = re.compile(r"«(?:([A-Z_]+)\|)?([^«»]*)»")
_TOKEN = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(Generic[T]):
    """Segments (kind, parts). The kind is empty for plain text, and `*` for the kind of the value."""

    segments: tuple[tuple[str, tuple[str | Callable[[T], str], ...]], ...]

    def pieces(self, value: T, kind: str, shape: Callable[[str], str] | None = None) -> list[Piece]:
        """Return the pieces of a value written this way; `kind` is the kind of segments marked without one."""
        pieces: list[Piece] = []
        for own_kind, parts in self.segments:
            text = "".join([part if isinstance(part, str) else part(value) for part in parts])
            if shape is not None:
                text = shape(text)
            pieces.append((text, kind if own_kind == "*" else own_kind))
        return pieces


def compile_pattern(line: Line, tokens: Mapping[str, Callable[[T], str]]) -> Pattern[T]:
    """Compile a line. `«DATE_YEAR|{YYYY}»` names a kind; without guillemets the whole text is marked.

    Raises ResourceError that names the line for unknown tokens and kinds.
    """
    text = line.text if "«" in line.text else f"«{line.text}»"
    segments: list[tuple[str, tuple[str | Callable[[T], str], ...]]] = []
    offset = 0
    for mark in _MARKED.finditer(text):
        if mark.start() > offset:
            segments.append(("", _parts(text[offset : mark.start()], tokens, line.place)))
        if mark[1]:
            try:
                PhiKind.of(mark[1])
            except ValueError as error:
                raise ResourceError(f"{line.place}: {error}") from None
        segments.append((mark[1] or "*", _parts(mark[2], tokens, line.place)))
        offset = mark.end()
    if offset < len(text):
        segments.append(("", _parts(text[offset:], tokens, line.place)))
    return Pattern(tuple(segments))


def _parts(text: str, tokens: Mapping[str, Callable[[T], str]], place: str) -> tuple[str | Callable[[T], str], ...]:
    parts: list[str | Callable[[T], str]] = []
    offset = 0
    for token in _TOKEN.finditer(text):
        if token[1] not in tokens:
            raise ResourceError(f"{place}: no token {{{token[1]}}}{nearest(token[1], tokens)}")
        parts += [text[offset : token.start()], tokens[token[1]]]
        offset = token.end()
    parts.append(text[offset:])
    return tuple(part for part in parts if part != "")


@dataclass(frozen=True, slots=True)
class Age:
    """An age in days, and the sex of the person."""

    days: int
    sex: str

    @property
    def years(self) -> int:
        return int(self.days / 365.25)

    @property
    def kind(self) -> str:
        return "AGE_OVER_89" if self.years > 89 else "AGE"

    @property
    def unit(self) -> str:
        """Return the unit of this age: years from two years on, months from two months on, weeks from two weeks on, else days."""
        if self.days >= 730:
            return "year"
        return "month" if self.days >= 61 else "week" if self.days >= 14 else "day"

    @property
    def count(self) -> int:
        return {"year": self.years, "month": int(self.days / 30.44), "week": self.days // 7, "day": self.days}[
            self.unit
        ]


def age_tokens(numbers: Sequence[str]) -> dict[str, Callable[[Age], str]]:
    """Return the meaning of `{N}`, `{words}`, `{Decade}`, `{F}` ...; `numbers` are the words for zero, one, two ..."""
    return {
        "N": lambda a: str(a.count),
        "words": lambda a: numbers[a.count] if a.count < len(numbers) else str(a.count),
        "Words": lambda a: (numbers[a.count] if a.count < len(numbers) else str(a.count)).capitalize(),
        "Decade": lambda a: str(a.years // 10 * 10),
        "F": lambda a: "F" if a.sex == "female" else "M",
        "f": lambda a: "f" if a.sex == "female" else "m",
        "S": lambda a: "s" if a.count != 1 else "",
        "Next": lambda a: str(a.count + 1),
        "Months": lambda a: str(int(a.days / 30.44) % 12),
    }


Day = datetime.date
_COUNTS = {"months": 12, "short months": 12, "weekdays": 7, "short weekdays": 7, "ordinals": 31, "ordinal words": 31}


def date_tokens(sections: Mapping[str, Section]) -> dict[str, Callable[[Day], str]]:
    """Return the meaning of `{D}`, `{Month}`, `{Wday}` ..., from the sections of a language's calendar.

    Raises ResourceError if a section is missing or has the wrong number of entries.
    """
    names = {key: [line.text for line in section.lines] for key, section in sections.items()}
    for key, count in _COUNTS.items():
        if len(names.get(key, [])) != count:
            raise ResourceError(f"calendar.txt: {key}: expected {count} entries, found {len(names.get(key, []))}")
    months, short = names["months"], names["short months"]
    weekdays, short_weekdays = names["weekdays"], names["short weekdays"]
    return {
        "D": lambda d: str(d.day),
        "DD": lambda d: f"{d.day:02}",
        "M": lambda d: str(d.month),
        "MM": lambda d: f"{d.month:02}",
        "YY": lambda d: f"{d.year % 100:02}",
        "YYYY": lambda d: str(d.year),
        "Next": lambda d: str(d.year + 1),
        "NX": lambda d: f"{(d.year + 1) % 100:02}",
        "Decade": lambda d: str(d.year // 10 * 10),
        "Quarter": lambda d: str((d.month + 2) // 3),
        "Month": lambda d: months[d.month - 1],
        "MONTH": lambda d: months[d.month - 1].upper(),
        "month": lambda d: months[d.month - 1].lower(),
        "Mon": lambda d: short[d.month - 1],
        "MON": lambda d: short[d.month - 1].upper(),
        "mon": lambda d: short[d.month - 1].lower(),
        "NextMonth": lambda d: months[d.month % 12],
        "Dth": lambda d: names["ordinals"][d.day - 1],
        "Dword": lambda d: names["ordinal words"][d.day - 1],
        "Wday": lambda d: weekdays[d.weekday()],
        "wday": lambda d: weekdays[d.weekday()].lower(),
        "Wd": lambda d: short_weekdays[d.weekday()],
        "D2": lambda d: str(_later(d).day),
        "M2": lambda d: str(_later(d).month),
        "DD2": lambda d: f"{_later(d).day:02}",
        "MM2": lambda d: f"{_later(d).month:02}",
        "Dth2": lambda d: names["ordinals"][_later(d).day - 1],
        "Season": lambda d: names["seasons"][(d.month % 12) // 3].capitalize(),
        "season": lambda d: names["seasons"][(d.month % 12) // 3].lower(),
        "Clock": lambda d: f"{6 + d.toordinal() * 7 % 17:02}:{d.toordinal() * 13 % 60:02}",
        "Seconds": lambda d: f"{d.toordinal() * 29 % 60:02}",
    }


@cache
def _later(day: Day) -> Day:
    """Return the end of a short interval that begins on a day, usually in the same month."""
    return day + datetime.timedelta(2 + day.day % 3)


def moved(day: Day, days: int) -> Day:
    """Return the day that many days later, limited to the years 1900 to 2199."""
    return Day.fromordinal(min(max(day.toordinal() + days, _FIRST), _LAST))


_FIRST = Day(1900, 1, 1).toordinal()
_LAST = Day(2199, 12, 31).toordinal()


@dataclass(slots=True)
class Person:
    """A person in a document. `role` is a key of KINDS."""

    role: str
    sex: str
    """`female` or `male`."""
    first: str
    middle: str
    last: str
    title: str = ""
    degree: str = ""
    suffix: str = ""
    relation: str = ""
    origin: str = ""
    """Name of the Origin of the given name."""
    number: int = 0
    """A number for user names."""


KINDS = {
    "patient": "PERSON_PATIENT",
    "doctor": "PERSON_DOCTOR",
    "nurse": "PERSON_DOCTOR",
    "relative": "PERSON_RELATIVE",
    "mother": "PERSON_RELATIVE",
    "father": "PERSON_RELATIVE",
    "reporter": "PERSON_REPORTER",
    "other": "PERSON_PATIENT",
}
"""Role of a person -> PHI kind of the name. `other` is another patient."""


def letter(name: str) -> str:
    """Return the initial of a name, ignoring particles: B of `van der Berg`."""
    parts = [p for p in name.replace("-", " ").split() if p[:1].isupper()]
    return next((c for c in (parts or [name])[0] if c.isalpha()), "X").upper()


def plain(name: str) -> str:
    """Return a name in lower-case ASCII letters, as in user names and e-mail addresses."""
    decomposed = unicodedata.normalize("NFD", name.replace("ø", "o").replace("ł", "l").replace("ß", "ss"))
    return "".join(c for c in decomposed.lower() if c.isascii() and c.isalpha()) or "x"


NAME_TOKENS: dict[str, Callable[[Person], str]] = {
    "First": lambda p: p.first,
    "FIRST": lambda p: p.first.upper(),
    "first": lambda p: p.first.lower(),
    "Last": lambda p: p.last,
    "LAST": lambda p: p.last.upper(),
    "last": lambda p: p.last.lower(),
    "Middle": lambda p: p.middle,
    "MIDDLE": lambda p: p.middle.upper(),
    "F": lambda p: letter(p.first),
    "M": lambda p: letter(p.middle),
    "L": lambda p: letter(p.last),
    "f": lambda p: plain(p.first)[0],
    "user": lambda p: plain(p.first),
    "surname": lambda p: plain(p.last),
    "short": lambda p: plain(p.last)[:6],
    "number": lambda p: str(p.number),
    "digit": lambda p: str(p.number % 10),
    "Title": lambda p: p.title,
    "degree": lambda p: p.degree,
    "suffix": lambda p: p.suffix,
    "relation": lambda p: p.relation,
}
"""The meaning of `{First}`, `{L}` ... in a name pattern."""
