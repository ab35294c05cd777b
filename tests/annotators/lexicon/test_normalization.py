"""Normal forms and keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon.normalization import (
    SEPARATOR,
    abbreviations,
    is_abbreviation,
    key_of,
    keys_of,
    normalize,
    tokens_of,
    tokens_of_many,
)

TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@given(TEXT)
def test_normal_forms_are_stable_and_hold_no_separator_of_their_own(form: str) -> None:
    assert normalize(normalize(form)) == normalize(form)
    assert normalize(form).encode().decode() == normalize(form)
    assert (SEPARATOR in normalize(form)) == (SEPARATOR in form)


@given(st.lists(TEXT, max_size=12))
def test_many_entries_at_once_are_cut_as_one_by_one(forms: list[str]) -> None:
    assert list(tokens_of_many(forms, batch=5)) == [tokens_of(form) for form in forms]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O’Brien", "o'brien"),
        ("Guillain–Barré", "guillain-barré"),
        ("Straße", "strasse"),
        ("ﬁbrosis", "FIBROSIS"),
        ("Jo\u00adhn", "john"),
        ("５", "5"),
        ("\ud800", "?"),
    ],
)
def test_spellings_with_one_normal_form(one: str, other: str) -> None:
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize("token", ["MI", "COPD", "AIDS", "B12", "HbA1c", "T4", "N.Y.", "3TC", "MIS-C", "LFTs"[:3]])
def test_abbreviations_match_exactly(token: str) -> None:
    assert is_abbreviation(token)


@pytest.mark.parametrize("token", ["I", "all", "Dr", "12", "3.5", "ASPIRIN", "Mb", "-", "", "X-ray"])
def test_other_tokens_match_in_any_case(token: str) -> None:
    assert not is_abbreviation(token)


def test_hyphens_part_the_words_in_which_abbreviations_are_looked_for() -> None:
    assert abbreviations(["CT-guided", "biopsy", "B12"]) == ((0, "CT"), (3, "B12"))


def test_an_entry_is_filed_under_its_spellings() -> None:
    key = SEPARATOR.join
    assert keys_of(["X-ray"]) == [key(["x-ray", ""]), key(["x", "ray", ""])]
    assert keys_of(["St", ".", "Vitus", "'s", "dance"]) == [
        key(["st", ".", "vitus", "'s", "dance", ""]),
        key(["st", "vitus", "dance", ""]),
    ]
    assert key(["type", "-", "2", "diabetes", ""]) in keys_of(["Type", "2", "diabetes"])
    assert keys_of(["."]) == [key([".", ""])]
    assert keys_of(["fever"]) == [key_of(["Fever"])]
