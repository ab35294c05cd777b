"""Suffixes and prefixes."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.features.affix import (
    Prefix,
    Prefix2,
    Prefix3,
    Prefix4,
    Suffix,
    Suffix2,
    Suffix3,
    Suffix4,
)


def test_affixes_of_fixed_lengths() -> None:
    assert [f().of("Lindqvist") for f in (Suffix2, Suffix3, Suffix4)] == ["st", "ist", "vist"]
    assert [f().of("Lindqvist") for f in (Prefix2, Prefix3, Prefix4)] == ["Li", "Lin", "Lind"]
    assert [f().label for f in (Suffix2, Prefix4)] == ["suffix2", "prefix4"]


@pytest.mark.parametrize(
    ("form", "suffix", "prefix"),
    [
        ("old", "old", "old"),
        ("of", None, None),
        ("", None, None),
        ("García", "cía", "Gar"),
        ("Garci\u0301a", "cía", "Gar"),
        ("a😀😀b", "😀😀b", "a😀😀"),
        ("x" * 100 + "ing", "ing", "xxx"),
    ],
)
def test_affixes_are_taken_from_composed_forms_and_shorter_forms_have_none(
    form: str, suffix: str | None, prefix: str | None
) -> None:
    assert Suffix3().of(form) == Suffix(length=3).of(form) == suffix
    assert Prefix3().of(form) == Prefix(length=3).of(form) == prefix


def test_a_diacritic_that_stands_alone_stays_with_its_letter() -> None:
    assert Suffix(length=1).of("abx\u0323\u0331") == "x\u0323\u0331"
    assert Prefix(length=1).of("q\u0301ab") == "q\u0301"


def test_lower_case_is_an_option_with_its_own_label() -> None:
    assert Suffix2(lower=True).of("SMITH") == "th"
    assert Suffix2(lower=True).label == "suffix2:lower"
    assert Prefix(length=5, lower=True).label == "prefix:5:lower"
    assert Prefix(length=5, lower=True).of("Lindqvist") == "lindq"


@pytest.mark.parametrize("length", [0, -1, 17])
def test_lengths_out_of_range_are_refused(length: int) -> None:
    for feature in (Suffix, Prefix):
        with pytest.raises(ValueError) as told:
            feature(length=length)
        assert str(told.value) == f"length: expected a whole number from 1 to 16, got {length}"
