"""Patterns as features: those of one's own, what is wrong with them, and time."""

from __future__ import annotations

import pickle
import time
from typing import Any

import pytest

from caspipe.annotators.sequence.features.ehr import HealthRecord
from caspipe.annotators.sequence.features.gazetteer import Gazetteer
from caspipe.annotators.sequence.features.morphology import QUESTIONS, Morphology
from caspipe.annotators.sequence.features.regex import Regex


def test_patterns_of_ones_own_take_the_place_of_the_others(column: Any) -> None:
    feature = Regex(patterns={"BED": r"\bbed (\d+)\b|\bward \d+\b"})
    assert column(feature, "bed 12 in ward 3, 3/4/2020") == [("12", "B-BED"), ("ward", "B-BED"), ("3", "I-BED")]
    assert (feature.label, Regex().label) == ("regex:BED", "regex")


def test_a_pattern_that_cannot_be_used_is_named_with_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"^patterns\.BED: .*look-ahead"):
        Regex(patterns={"BED": "bed(?= 12)"})
    with pytest.raises(ValueError, match=r"^patterns: expected at least one$"):
        Regex(patterns={})


def test_lone_surrogates_do_not_shift_what_is_found(column: Any) -> None:
    assert column(Regex(), "\ud83d 555-0123") == [("555", "B-PHONE"), ("-", "I-PHONE"), ("0123", "I-PHONE")]


def test_a_feature_that_was_used_can_be_pickled(column: Any) -> None:
    feature = Regex()
    assert column(feature, "MRN 1234567") == column(pickle.loads(pickle.dumps(feature)), "MRN 1234567") != []


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["1/", "1-", "a@", "Jan ", "1 year", "(617) ", "MRN: ", "A1-"])
def test_time_is_linear_in_the_text(piece: str, words: Any) -> None:
    def seconds(n: int) -> float:
        made = words(piece * (n // len(piece)))
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            Regex().column(made)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(40_000) < 16 * seconds(10_000) + 0.05


@pytest.mark.parametrize(
    ("form", "held"),
    [
        ("Smiths", "ends_s initial_capital alphabetic alphanumeric title"),
        ("HIPS", "ends_s initial_capital alphabetic alphanumeric upper"),
        ("aspirin", "alphabetic alphanumeric lower"),
        ("O'Brien", "initial_capital title"),
        ("3.5", "has_digit numeric"),
        ("1,000", "has_digit numeric"),
        ("B12", "initial_capital has_digit alphanumeric title upper"),
        ("1998", "has_digit numeric alphanumeric"),
        ("McDonald", "initial_capital alphabetic alphanumeric"),
        ("Élan", "initial_capital alphabetic alphanumeric title"),
        ("3.", "has_digit"),
        ("-", ""),
    ],
)
def test_questions_about_a_form_are_answered_by_those_that_hold(form: str, held: str) -> None:
    assert Morphology().of(form) == tuple(held.split())


def test_only_some_questions_are_asked() -> None:
    feature = Morphology(only=["upper", "ends_s"])
    assert (feature.of("HIPS"), feature.of("hip"), feature.label) == (
        ("ends_s", "upper"),
        (),
        "morphology:upper+ends_s",
    )
    assert len(QUESTIONS) == 9


def test_labels_tell_uses_of_one_feature_apart() -> None:
    assert HealthRecord().label == "ehr"
    assert HealthRecord(parts="all").label == "ehr:all"
    assert HealthRecord(parts="address", shortest=3).label == "ehr:address:3"
    with pytest.raises(ValueError, match=r"^parts: expected at least one$"):
        HealthRecord(parts=[])
    with pytest.raises(ValueError, match=r"^shortest: expected a whole number of at least 1, got 0$"):
        HealthRecord(shortest=0)
    lexicon: Any = "person_titles"
    assert (
        Gazetteer(lexicon=lexicon, kinds=["medical"], borders=True).label == "gazetteer:person_titles:medical:borders"
    )
