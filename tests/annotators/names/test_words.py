"""Lexical facts and levels of words."""

from __future__ import annotations

import pytest

from caspipe.annotators.names import words
from caspipe.annotators.names.words import Words
from caspipe.pipeline.contract.resources import load


@pytest.fixture(scope="session")
def english() -> Words:
    return load(Words, "english")


@pytest.mark.parametrize(
    ("word", "level"),
    [("zbigniew", 0), ("martha", 0), ("john", 0), ("walker", 1), ("smith", 1), ("white", 2), ("mark", 2), ("will", 3)],
)
def test_ordinary_words_have_higher_levels(english: Words, word: str, level: int) -> None:
    assert english.level(word) == level


@pytest.mark.parametrize(
    ("form", "has", "lacks"),
    [
        ("Mary", words.GIVEN | words.OFTEN_GIVEN, words.BLOCKED),
        ("Okafor", words.SURNAME, words.BLOCKED),
        ("Qwertzburg", words.UNKNOWN, words.NAME | words.BLOCKED),
        ("Tylenol", words.BLOCKED | words.TERM, words.UNKNOWN),
        ("Pfizer", words.BLOCKED | words.TERM, words.UNKNOWN),
        ("April", words.MONTH | words.GIVEN, 0),
        ("Fever", words.BLOCKED, 0),
        ("The", words.BLOCKED, 0),
        ("Dallas", words.CITY | words.BIG_CITY, words.BLOCKED),
        ("Texas", words.STATE, 0),
        ("Japan", words.COUNTRY, words.DEMONYM),
        ("American", words.DEMONYM, words.COUNTRY),
        ("Parkinson", words.EPONYM, 0),
        ("Walgreens", words.ORGANIZATION, 0),
        ("Hospital", words.ORGANIZATION_CUE, 0),
        ("Johnson", words.MAKERS_BEGIN | words.OFTEN_SURNAME, 0),
    ],
)
def test_facts_of_a_form(english: Words, form: str, has: int, lacks: int) -> None:
    facts = english.facts[form]
    assert facts & has == has
    assert not facts & lacks


def test_the_level_is_part_of_the_facts(english: Words) -> None:
    assert [english.facts[f] >> words.LEVEL for f in ("Okafor", "Walker", "White", "Will")] == [0, 1, 2, 3]


def test_a_rare_word_one_edit_from_a_name_is_a_word(english: Words) -> None:
    assert english.is_word("brain") and english.is_word("fever") and not english.is_word("brlan")
