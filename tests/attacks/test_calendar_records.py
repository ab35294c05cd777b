"""Generated records of old and younger people: an attacker who parses the released texts finds no age over 89.

The attacker's parser is dateutil with expressions of its own. It knows nothing of the finders and of the contract: it takes every
date and every age that it sees, and every pair of them.
"""

from __future__ import annotations

import datetime
import random
import re
import warnings
from calendar import monthrange
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from dateutil import parser
from dateutil.relativedelta import relativedelta

from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

Day = datetime.date
KEY = "a key for the tests of this file, 32 or more"
ENGINES = """
engines:
  - aggregate: {{id: rules, engines: [dates, ages]}}
  - resolver
  - masker: {{DATE: {date}, AGE: {{age: {{threshold: 89}}}}, default: placeholder}}
"""
OPERATORS = {
    "text": f"{{shift: {{key: {KEY!r}}}}}",
    "original": f"{{shift: {{key: {KEY!r}, style: original}}}}",
    "iso": f"{{shift: {{key: {KEY!r}, style: iso}}}}",
    "weeks": f"{{shift: {{key: {KEY!r}, unit: weeks}}}}",
    "season": f"{{shift: {{key: {KEY!r}, season: true}}}}",
    "year": "year",
    "keep": "keep",
}
FORMATS: tuple[Callable[[Day], str], ...] = (
    lambda d: f"{d.month}/{d.day}/{d.year}",
    lambda d: f"{d.month:02d}/{d.day:02d}/{d.year}",
    lambda d: d.isoformat(),
    lambda d: f"{d:%B} {d.day}, {d.year}",
    lambda d: f"{d.day} {d:%b} {d.year}",
    lambda d: f"{d.day:02d}-{d:%b}-{d.year}",
    lambda d: f"{d:%d %B %Y}",
    lambda d: f"{d:%Y%m%d}",
    lambda d: f"{d.month}/{d.day}/{d:%y}",
)
BIRTHS = (
    "DOB: {birth}. ", "Date of birth: {birth}\n", "Born {birth}. ", "b. {birth}. ", "D.O.B. {birth}; ", "Patient ({birth}), ",
    "Born in {birth:%Y}. ", "YOB {birth:%Y}. ", "A {birth:%Y}-born patient. ", "Born in {birth:%B %Y}. ", "",
)  # fmt: skip
VISITS = (
    "Seen {a}, again {b}. ",
    "Visit {a}: stable.\nVisit {b}: stable. ",
    "Admitted {a}, discharged {b}. ",
    "{a} fall. {b} review. ",
)
AGES = (
    "{age}-year-old woman. ", "Aged {age}. ", "A {age} y/o man. ", "She is {age} years old. ", "{age} y/o F with a cough. ",
    "She turned {age} in {year}. ", "In {year}, at age {age}, he fell. ", "He was {age} in {year}. ", "",
)  # fmt: skip


class Record(NamedTuple):
    text: str
    days: list[Day]
    """The full dates of the text, in order."""
    age: int
    """Of the person, at the last date."""


def written(template: str, formats: list[Callable[[Day], str]], **values: Day) -> str:
    """Fill days into a template, each in one of the formats; a place with a format of its own keeps it."""
    for name, day in values.items():
        if f"{{{name}}}" in template:
            template = template.replace(f"{{{name}}}", formats.pop()(day))
    return template.format(**values)


def record(number: int, first: int, last: int) -> Record:
    """Return a record of a person born in the years first to last; the same for the same number."""
    rng = random.Random(number)
    birth = Day(rng.randint(first, last), rng.randint(1, 12), rng.randint(1, 28))
    start = rng.randint(40, 100) if last < 1941 else rng.randint(20, 60)
    one = birth + datetime.timedelta(365 * start + rng.randint(0, 364))
    two = one + datetime.timedelta(rng.choice([3, 40, 800, 2000, 5000]))
    formats = [rng.choice(FORMATS[:-1]) for _ in range(2)] + [rng.choice(FORMATS if two.year < 2031 else FORMATS[:-1])]
    parts = [written(rng.choice(VISITS), formats, a=one, b=two)]
    template = rng.choice(BIRTHS)
    days = [one, two]
    if "{birth}" in template:
        days = [birth, *days]
    formats = [rng.choice(FORMATS)]
    parts.insert(0, written(template, formats, birth=birth))
    when = rng.choice([one, two])
    parts.insert(rng.randint(1, 2), rng.choice(AGES).format(age=relativedelta(when, birth).years, year=when.year))
    return Record("".join(parts), days, relativedelta(two, birth).years)


class Seen(NamedTuple):
    """A date that the attacker sees: the days that it may mean, and its place."""

    first: Day
    last: Day
    begin: int

    @property
    def full(self) -> bool:
        return self.first == self.last


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_FULL = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d\d)\b|\b\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}}\b"
    rf"|\b{_MONTH} \d{{1,2}}, \d{{4}}\b"
    r"|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d\b"
)
_PART = re.compile(rf"\b(?:(?P<m>{_MONTH}) )?(?P<y>(?:19|20)\d\d)(?:-(?P<n>0[1-9]|1[0-2]))?\b")
_AGE = re.compile(
    r"\b(\d{2,3})(?=-year-old|F | y/o| years old)|(?<=[Aa]ged )(\d+)|(?<=turned )(\d+)|(?<=age )(\d+)|(?<=was )(\d+)"
)


def dates_in(text: str, newest: int) -> Iterator[Seen]:
    """Every date, with the century of two digits that is not after `newest`."""
    rest = text
    for match in _FULL.finditer(text):
        day = parser.parse(match[0], dayfirst=False).date()
        if re.search(r"/\d\d\Z", match[0]):
            day = day.replace(year=(2000 if 2000 + day.year % 100 <= newest else 1900) + day.year % 100)
        yield Seen(day, day, match.start())
        rest = rest[: match.start()] + "#" * len(match[0]) + rest[match.end() :]
    for match in _PART.finditer(rest):
        year = int(match["y"])
        month = parser.parse(f"1 {match['m']} 2000").month if match["m"] else int(match["n"] or 0)
        first = Day(year, month or 1, 1)
        yield Seen(first, Day(year, month or 12, monthrange(year, month or 12)[1]), match.start())


def years(first: Day, last: Day) -> int:
    return relativedelta(last, first).years


def over_89(text: str, newest: int) -> list[str]:
    """What tells an age over 89: two dates, an age, or an age and two dates, between which nobody's birth date is."""
    seen = list(dates_in(text, newest))
    faults = [f"{one} {two}" for one in seen for two in seen if years(one.first, two.last) > 89]
    ages = [(int(next(filter(None, m.groups()))), m.start()) for m in _AGE.finditer(text)]
    faults += [f"age {age}" for age, _ in ages if age > 89]
    latest = max((s.last for s in seen if s.full), default=None)
    for age, begin in ages:
        births = [s for s in seen if any(s.first.year + age - 1 <= t.first.year <= s.last.year + age + 1 for t in seen)]
        if births or latest is None:
            continue
        near = [
            s for s in seen if abs(s.begin - begin) < 24 and "." not in text[min(s.begin, begin) : max(s.begin, begin)]
        ]
        for date in near or [s for s in seen if s.full]:
            if age + years(date.first, latest) > 89:
                faults.append(f"age {age} at {date}")
    return faults


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pipeline]:
    folder = tmp_path_factory.mktemp("records")
    made = {}
    for name, date in OPERATORS.items():
        (folder / f"{name}.yaml").write_text(ENGINES.format(date=date))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the key is written into the configuration
            made[name] = Pipeline.load(folder / f"{name}.yaml").open()
    return made


def attack(pipelines: dict[str, Pipeline], numbers: range) -> tuple[list[str], int]:
    """Return the faults of the released records of people born 1905 to 1940, and how many originals told an age over 89."""
    faults, old = [], 0
    for number in numbers:
        case = record(number, 1905, 1940)
        newest = max(day.year for day in case.days)
        old += bool(over_89(case.text, newest))
        name = list(OPERATORS)[number % len(OPERATORS)]
        new = pipelines[name].process(Cas(case.text, id=f"record {number}")).deidentified
        found = over_89(new, newest + 4)
        faults += [f"{number} {name}: {fault}: {case.text!r} {new!r}" for fault in found]
    return faults, old


def intervals(days: list[Day]) -> list[int]:
    return [(day - days[0]).days for day in days]


def check_younger(pipelines: dict[str, Pipeline], numbers: range) -> int:
    """Compare the intervals of people under 90 before and after; return how many were compared."""
    compared = 0
    for number in numbers:
        case = record(number, 1941, 1990)
        if case.age >= 89:
            continue
        name = ("text", "original", "iso", "weeks")[number % 4]
        new = pipelines[name].process(Cas(case.text, id=f"record {number}")).deidentified
        full = [seen.first for seen in dates_in(new, 2040) if seen.full]
        assert "[DATE" not in new, (case.text, new)
        assert intervals(full) == intervals(case.days), (case.text, new)
        compared += 1
    return compared


@pytest.mark.attack("age-from-dates")
def test_no_age_over_89_is_in_a_released_record(pipelines: dict[str, Pipeline]) -> None:
    faults, old = attack(pipelines, range(140))
    assert old > 30
    assert faults == []


@pytest.mark.attack("age-from-dates")
def test_people_under_90_keep_their_intervals_exactly(pipelines: dict[str, Pipeline]) -> None:
    assert check_younger(pipelines, range(80)) > 60


@pytest.mark.slow
@pytest.mark.attack("age-from-dates")
def test_no_age_over_89_is_in_two_thousand_released_records(pipelines: dict[str, Pipeline]) -> None:
    faults, old = attack(pipelines, range(2000))
    assert old > 400
    assert faults == []


@pytest.mark.slow
@pytest.mark.attack("age-from-dates")
def test_a_thousand_people_under_90_keep_their_intervals_exactly(pipelines: dict[str, Pipeline]) -> None:
    assert check_younger(pipelines, range(1000)) > 800
