"""Lexical facts and levels of words."""

from __future__ import annotations

import pytest

from caspipe.annotators.lexicon.word_table import word_table
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


def test_words_of_the_same_lists_and_columns_have_the_facts_that_their_entries_have(english: Words) -> None:
    """Facts are read once for all words of the same lists with the same columns: every 29th word of all lists, in three cases."""
    every = sorted({word for name in english.lists for word in english.lists[name].compiled.words})
    chosen = [*every[::29], "ALL", "all", "MS", "CA", "NY", "O'Brien", "Bell-type", "José", "Zorblatt"]
    for word in chosen:
        for form in (word, word.title(), word.upper()):
            assert english._own_facts(form) == english._read_facts(form, word_table().of_form[form])
            listed = english._listed[form]
            assert english.is_word(form) == any(name in listed for name in ("common_words", "stop_words", "medical"))
