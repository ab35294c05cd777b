"""The word classes of the PHI scrubber's networks."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.features.word_class import WordClass


@pytest.mark.parametrize(
    ("form", "seven", "four"),
    [
        ("42", "NUMERIC", "OTHER"),
        ("٤٢", "NUMERIC", "OTHER"),
        ("1,000", "MOSTLY_NUMERIC", "OTHER"),
        ("12a", "MOSTLY_NUMERIC", "OTHER"),
        ("12mg", "CONTAINS_DIGIT", "OTHER"),
        ("B12", "MOSTLY_NUMERIC", "ALL_UPPER"),
        ("Covid-19", "CONTAINS_DIGIT", "INITIAL_UPPER"),
        ("fever", "ALL_LOWER", "OTHER"),
        ("SMITH", "ALL_UPPER", "ALL_UPPER"),
        ("A", "ALL_UPPER", "ALL_UPPER"),
        ("Smith", "INITIAL_UPPER", "INITIAL_UPPER"),
        ("Smith-jones", "INITIAL_UPPER", "INITIAL_UPPER"),
        ("McDonald", "OTHER", "CAMEL"),
        ("iPad", "OTHER", "CAMEL"),
        ("MRIs", "OTHER", "OTHER"),
        ("Übel", "INITIAL_UPPER", "INITIAL_UPPER"),
        ("U\u0308bel", "INITIAL_UPPER", "INITIAL_UPPER"),
        ("...", "OTHER", "OTHER"),
        ("山田", "OTHER", "OTHER"),
        ("", "OTHER", "OTHER"),
    ],
)
def test_the_first_class_that_fits_is_taken(form: str, seven: str, four: str) -> None:
    assert WordClass().of(form) == seven
    assert WordClass(classes=4).of(form) == four


def test_the_two_sets_of_classes_are_told_apart_in_a_model() -> None:
    assert [WordClass().label, WordClass(classes=4).label] == ["word_class", "word_class:4"]


def test_other_numbers_of_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="classes: expected 7 or 4, got 5"):
        WordClass(classes=5)
