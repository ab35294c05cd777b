"""The form, its lower case, its length."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.feature import normalize
from caspipe.annotators.sequence.features.form import FormLength, LowerForm, TokenForm


def test_the_form_keeps_its_case_and_the_other_loses_it() -> None:
    assert TokenForm().of("McDonald") == "McDonald"
    assert LowerForm().of("McDonald") == "mcdonald"
    assert LowerForm().of("ÉCOLE") == "école"


def test_composed_and_decomposed_spellings_are_one_value() -> None:
    assert TokenForm().of("José") == TokenForm().of("Jose\u0301") == "José"
    assert LowerForm().of("JOSÉ") == LowerForm().of("JOSE\u0301")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a\nb", "a\ufffdb"),
        ("a\x00", "a\ufffd"),
        ("a\u2028b", "a\ufffdb"),
        ("\ud83d", "\ufffd"),
        ("😀", "😀"),
        ("a\u200db", "a\u200db"),
        ("x" * 65, "x" * 64),
        ("é" * 200, "é" * 64),
        ("\u0958" * 64, "\u0915\u093c" * 32),
        ("", ""),
    ],
)
def test_values_hold_no_line_ends_no_halves_of_pairs_and_at_most_64_code_points(text: str, value: str) -> None:
    assert normalize(text) == value


@pytest.mark.parametrize(
    ("parameters", "form", "value"),
    [
        ({}, "Smith", "5"),
        ({}, "x" * 100, "64"),
        ({"cap": 10}, "x" * 100, "10"),
        ({"bins": [1, 3, 6]}, "a", "1"),
        ({"bins": [1, 3, 6]}, "ab", "2-3"),
        ({"bins": [1, 3, 6]}, "abc", "2-3"),
        ({"bins": [1, 3, 6]}, "abcd", "4-6"),
        ({"bins": [1, 3, 6]}, "x" * 7, "7+"),
        ({"bins": [3, 4]}, "abcd", "4"),
    ],
)
def test_lengths_are_numbers_or_classes(parameters: dict[str, object], form: str, value: str) -> None:
    assert FormLength(**parameters).of(form) == value


def test_lengths_with_other_classes_have_another_label() -> None:
    labels = {FormLength().label, FormLength(cap=9).label, FormLength(bins=[2, 5]).label}
    assert labels == {"length", "length:9", "length:2-5"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cap": 0}, "cap: expected a whole number of at least 1, got 0"),
        ({"bins": [3, 1]}, "bins: expected ascending whole numbers of at least 1"),
        ({"bins": [0, 1]}, "bins: expected ascending whole numbers of at least 1"),
        ({"bins": [2, 2]}, "bins: expected ascending whole numbers of at least 1"),
    ],
)
def test_lengths_that_make_no_sense_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as told:
        FormLength(**parameters)
    assert str(told.value) == message
