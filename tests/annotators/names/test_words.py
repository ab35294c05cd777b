"""What the word lists say of a form: the ground that the name rules stand on."""

from __future__ import annotations

import pytest

from caspipe.annotators.names import words as w
from caspipe.annotators.names.words import Words
from caspipe.pipeline.contract.resources import load


@pytest.fixture(scope="session")
def english() -> Words:
    return load(Words, "english")


@pytest.mark.parametrize(
    ("word", "level"),
    [("zbigniew", 0), ("martha", 0), ("john", 0), ("walker", 1), ("smith", 1), ("white", 2), ("mark", 2), ("will", 3)],
)
def test_levels_rise_with_how_ordinary_a_word_is(english: Words, word: str, level: int) -> None:
    assert english.level(word) == level


@pytest.mark.parametrize(
    ("form", "has", "lacks"),
    [
        ("Mary", w.GIVEN | w.OFTEN_GIVEN, w.BLOCKED),
        ("Okafor", w.SURNAME, w.BLOCKED),
        ("Qwertzburg", w.UNKNOWN, w.NAME | w.BLOCKED),
        ("Tylenol", w.BLOCKED | w.TERM, w.UNKNOWN),
        ("Pfizer", w.BLOCKED | w.TERM, w.UNKNOWN),
        ("April", w.MONTH | w.GIVEN, 0),
        ("Fever", w.BLOCKED, 0),
        ("The", w.BLOCKED, 0),
        ("Dallas", w.CITY | w.BIG_CITY, w.BLOCKED),
        ("Texas", w.STATE, 0),
        ("Japan", w.COUNTRY, w.DEMONYM),
        ("American", w.DEMONYM, w.COUNTRY),
        ("Parkinson", w.EPONYM, 0),
        ("Walgreens", w.ORGANISATION, 0),
        ("Hospital", w.ORGANISATION_CUE, 0),
        ("Johnson", w.MAKERS_BEGIN | w.OFTEN_SURNAME, 0),
    ],
)
def test_facts_of_a_form(english: Words, form: str, has: int, lacks: int) -> None:
    facts = english.facts[form]
    assert facts & has == has
    assert not facts & lacks


def test_the_level_is_part_of_the_facts(english: Words) -> None:
    assert [english.facts[f] >> w.LEVEL for f in ("Okafor", "Walker", "White", "Will")] == [0, 1, 2, 3]


def test_a_rare_word_one_edit_from_a_name_is_a_word(english: Words) -> None:
    assert english.is_word("brain") and english.is_word("fever") and not english.is_word("brlan")
