"""Lexical facts and levels of words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Entry, Lexicon
from caspipe.annotators.lexicon.lexicon import case_fits
from caspipe.annotators.lexicon.normalization import SEPARATOR, key_of
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


_LISTS = (
    "cities us_states provinces countries us_counties organizations organization_cues not_organizations eponyms".split()
)
_PHRASES = [key.split(SEPARATOR)[:-1] for name in _LISTS for key in Lexicon.load(name).compiled.trie.keys()[::97]]
_TOKENS = sorted({token for phrase in _PHRASES for token in phrase})


def _longest(english: Words, lists: list[str], tokens: list[str], but: str) -> tuple[int, Entry | None]:
    """Return what `longest` returns, from the entries of every list for every number of tokens."""
    for last in range(len(tokens), 0, -1):
        for name in lists:
            for entry in english.lists[name].entries_of_key(key_of(tokens[:last])):
                if entry.kind not in but.split() and case_fits(entry, tokens[:last]):
                    return last, entry
    return 0, None


@given(
    st.lists(st.sampled_from(_LISTS), min_size=1, max_size=4, unique=True),
    st.sampled_from(_PHRASES),
    st.lists(st.sampled_from(_TOKENS) | st.sampled_from(["", "Zorblatt", "\ud800"]), max_size=3),
    st.sampled_from([str.lower, str.title, str.upper]),
    st.sampled_from(["", "name", "demonym"]),
)
def test_the_longest_entry_is_that_of_all_lists(
    english: Words, lists: list[str], phrase: list[str], more: list[str], case: Callable[[str], str], but: str
) -> None:
    for tokens in ([*map(case, phrase), *more], more):
        assert english.longest(" ".join(lists), tokens, but) == _longest(english, lists, tokens, but)
