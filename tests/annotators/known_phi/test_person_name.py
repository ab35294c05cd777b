"""Names of a record taken apart, texts folded, numbers in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.known_phi.age import in_words
from caspipe.annotators.known_phi.date import Day, interpretations, ordinal_in_words
from caspipe.annotators.known_phi.person import nickname_table
from caspipe.annotators.known_phi.person_name import parse_name
from caspipe.annotators.known_phi.searchable_text import fold, spelling_variants, whole_word_offsets


@pytest.mark.parametrize(
    ("value", "given", "family", "initials"),
    [
        ("Brian White", ("Brian",), ("White",), "bw"),
        ("White, Brian", ("Brian",), ("White",), "bw"),
        ("White, Brian J., Jr.", ("Brian",), ("White",), "bjw"),
        ("BRIAN WHITE", ("BRIAN",), ("WHITE",), "bw"),
        ("D. Flores MD", (), ("Flores",), "df"),
        ("Dr. Scott Good, M.D.", ("Scott",), ("Good",), "sg"),
        ("Juan Carlos García López", ("Juan", "Carlos", "García"), ("López",), "jcgl"),
        ("Pieter van der Berg", ("Pieter",), ("Berg",), "pb"),
        ("van der Berg, Pieter", ("Pieter",), ("Berg",), "pb"),
        ("Ben Carson", ("Ben",), ("Carson",), "bc"),
        ('William "Bill" Turner', ("William", "Bill"), ("Turner",), "wt"),
        ("KIM DO", ("KIM",), ("DO",), "kd"),
        ("B.W.", (), (), "bw"),
    ],
)
def test_a_name_comes_apart(value: str, given: tuple[str, ...], family: tuple[str, ...], initials: str) -> None:
    name = parse_name(value)
    assert (name.given, name.family, name.initials) == (given, family, initials)


@pytest.mark.parametrize("value", ["", "  ", "unknown", "Not reported", "MSK", "N/A", "PRIVACY", "12345", "---"])
def test_a_field_without_a_name_gives_none(value: str) -> None:
    assert parse_name(value).words == ()


@pytest.mark.parametrize(
    ("value", "either", "initials"),
    [("brian", "brian", "b"), ("Dr. Flores", "Flores", "f"), ("BW", "", "bw"), ("JRS", "", "jrs"), ("LI", "LI", "li")],
)
def test_a_single_word_may_be_either_name_or_initials(value: str, either: str, initials: str) -> None:
    name = parse_name(value)
    assert (name.either, name.initials) == (either, initials)


def test_particles_stay_with_the_whole_surname() -> None:
    assert parse_name("Maria de la Cruz").whole_family == "de la Cruz"


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folding_takes_case_and_diacritics() -> None:
    assert fold("Szöllősy ŁÓDŹ Straße O’Neil İstanbul") == "szollosy lodz strase o'neil istanbul"


def test_umlauts_are_also_written_out() -> None:
    assert spelling_variants("Müller") == ["muller", "mueller"]
    assert spelling_variants("Smith") == ["smith"]


def test_words_are_found_whole() -> None:
    assert list(whole_word_offsets("ann anna ann's mann ann-marie", "ann")) == [0, 9, 20]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, ["zero"]),
        (14, ["fourteen"]),
        (58, ["fifty-eight", "fifty eight"]),
        (60, ["sixty"]),
        (100, ["one hundred", "a hundred"]),
    ],
)
def test_numbers_in_words(number: int, words: list[str]) -> None:
    assert in_words(number) == words


def test_days_in_words() -> None:
    assert ordinal_in_words(21) == ["twenty-first", "twenty first", "twenty-one", "twenty one"]
    assert ordinal_in_words(30) == ["thirtieth", "thirty"]


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("1960-04-14", [Day(1960, 4, 14)]),
        ("19600414", [Day(1960, 4, 14)]),
        ("196004141230", [Day(1960, 4, 14)]),
        ("196004", [Day(1960, 4, 0)]),
        ("1960", [Day(1960, 0, 0)]),
        ("4/5/1960", [Day(1960, 4, 5), Day(1960, 5, 4)]),
        ("14 April 1960", [Day(1960, 4, 14)]),
        ("unknown", []),
    ],
)
def test_the_dates_of_a_record(value: str, days: list[Day]) -> None:
    assert interpretations(value) == days


def test_short_forms_go_both_ways() -> None:
    assert "bill" in nickname_table()["william"] and "william" in nickname_table()["bill"]
    assert all(name not in forms for name, forms in nickname_table().items())
