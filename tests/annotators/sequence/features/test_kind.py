"""Capitals, digits, hyphens and X, Y, Z."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.features.kind import CapitalType, HasXyz, Hyphen, NumericType

UPPER, LOWER, INITIAL, MIXED = "ALL_UPPERCASE", "ALL_LOWER_CASE", "INITIAL_UPPERCASE", "MIXED_CASE"


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("smith", LOWER),
        ("SMITH", UPPER),
        ("Smith", INITIAL),
        ("McDonald", MIXED),
        ("iPad", MIXED),
        ("A", UPPER),
        ("a", LOWER),
        ("B12", UPPER),
        ("5mg", LOWER),
        ("4Th", MIXED),
        ("Smith-jones", INITIAL),
        ("Smith-Jones", MIXED),
        ("O'Brien", MIXED),
        ("Übel", INITIAL),
        ("U\u0308bel", INITIAL),
        ("ПЕТРОВ", UPPER),
        ("Öst", INITIAL),
        ("1998", None),
        ("...", None),
        ("山田", None),
        ("😀", None),
        ("", None),
    ],
)
def test_capital_types(form: str, value: str | None) -> None:
    assert CapitalType().of(form) == value


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("45", "ALL_DIGITS"),
        ("1", "ALL_DIGITS"),
        ("1998", "YEAR_DIGIT"),
        ("1000", "YEAR_DIGIT"),
        ("2013", "YEAR_DIGIT"),
        ("2199", "YEAR_DIGIT"),
        ("2200", "ALL_DIGITS"),
        ("3020", "ALL_DIGITS"),
        ("0998", "ALL_DIGITS"),
        ("19985", "ALL_DIGITS"),
        ("199", "ALL_DIGITS"),
        ("٢٠٢٠", "YEAR_DIGIT"),
        ("４５", "ALL_DIGITS"),
        ("A1", "ALPHANUMERIC"),
        ("B-12", "ALPHANUMERIC"),
        ("5mg", "ALPHANUMERIC"),
        ("Á1", "ALPHANUMERIC"),
        ("A\u03011", "ALPHANUMERIC"),
        ("3/4", "SOME_DIGITS"),
        ("12.5", "SOME_DIGITS"),
        ("10-12", "SOME_DIGITS"),
        ("A/1", "SOME_DIGITS"),
        ("2½", "SOME_DIGITS"),
        ("XIV", "ROMAN_NUMERAL"),
        ("I", "ROMAN_NUMERAL"),
        ("MCMXCVIII", "ROMAN_NUMERAL"),
        ("Ⅷ", "ROMAN_NUMERAL"),
        ("xiv", None),
        ("IIX", None),
        ("MMMM", None),
        ("Xavier", None),
        ("½", None),
        ("Smith", None),
        ("-", None),
        ("", None),
    ],
)
def test_numeric_types(form: str, value: str | None) -> None:
    assert NumericType().of(form) == value


@pytest.mark.parametrize("form", ["Smith-Jones", "-", "a\u2010b", "a\u2011b", "ａ－ｂ"])
def test_hyphens_are_found(form: str) -> None:
    assert Hyphen().of(form) == ""


@pytest.mark.parametrize("form", ["a–b", "a—b", "a−b", "a_b", "Smith", ""])
def test_dashes_and_minus_signs_are_no_hyphens(form: str) -> None:
    assert Hyphen().of(form) is None


@pytest.mark.parametrize(
    ("form", "capitals", "all_"),
    [
        ("XX", "", ""),
        ("XX-YEAR-OLD", "", ""),
        ("Zoe", "", ""),
        ("Y\u0301", None, None),
        ("years", None, ""),
        ("old", None, None),
        ("", None, None),
    ],
)
def test_x_y_and_z(form: str, capitals: str | None, all_: str | None) -> None:
    assert HasXyz().of(form) == capitals
    assert HasXyz(lower=True).of(form) == all_
    assert (HasXyz().label, HasXyz(lower=True).label) == ("has_xyz", "has_xyz:lower")
