"""Number words, misspelled months, weekdays."""

from __future__ import annotations

import pytest

from caspipe.annotators.dates import numerals
from caspipe.annotators.dates.calendar import Calendar, misspellings


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("one", 1),
        ("Ninety-Two", 92),
        ("sixty five", 65),
        ("hundred", 100),
        ("one hundred and two", 102),
        ("a hundred and four", 104),
    ],
)
def test_cardinals(words: str, number: int) -> None:
    assert numerals.cardinal(words) == number


@pytest.mark.parametrize("words", ["", "and", "a", "zwei", "first"])
def test_other_words_are_not_cardinals(words: str) -> None:
    assert numerals.cardinal(words) is None


@pytest.mark.parametrize(
    ("words", "day"), [("first", 1), ("twenty-first", 21), ("Twenty  First", 21), ("thirtieth", 30), ("last", None)]
)
def test_ordinals(words: str, day: int | None) -> None:
    assert numerals.ordinal(words) == day


@pytest.mark.parametrize(
    ("words", "year"),
    [
        ("two thousand", 2000),
        ("two thousand and ten", 2010),
        ("twenty twenty-one", 2021),
        ("twenty oh five", 2005),
        ("nineteen ninety-nine", 1999),
        ("nineteen hundred and five", 1905),
        ("ten", None),
        ("two thousand things", None),
    ],
)
def test_years(words: str, year: int | None) -> None:
    assert numerals.year(words) == year


def test_one_typo_is_recognized_and_two_are_not() -> None:
    months = Calendar().months
    assert [months[w] for w in ("febuary", "feburary", "januray", "decmber", "octobor", "septmber")] == [
        2,
        2,
        1,
        12,
        10,
        9,
    ]
    assert "fbuary" not in months
    assert "match" not in months
    assert Calendar().weekdays["thrusday"] == 3


def test_the_first_letter_is_never_a_typo() -> None:
    assert all(slip[0] == "o" for slip in misspellings("october"))
