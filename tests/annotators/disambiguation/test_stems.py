"""Drug-name stems: which are believed, and where in a word they stand."""

from __future__ import annotations

import pytest

from caspipe.annotators.disambiguation.stems import DrugStems
from caspipe.annotators.lexicon import Lexicon


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load("drug_stems")


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("hydralazine", "-dralazine"),
        ("mifepristone", "-pristone"),
        ("metoprolol", "-olol"),
        ("atorvastatin", "-vastatin"),
        ("infliximab", "-ximab"),
        ("xisulfamol", "-sulfa-"),
        ("einstein", None),
        ("larsen", None),
        ("olol", None),
        ("abmab", None),
        ("", None),
    ],
)
def test_the_longest_stem_of_a_word_is_told(lexicon: Lexicon, word: str, stem: str | None) -> None:
    found = DrugStems(lexicon, 0.95).of(word)
    assert (None if found is None else str(found)) == stem


def test_fewer_stems_are_believed_where_more_precision_is_asked_for(lexicon: Lexicon) -> None:
    counts = [len(DrugStems(lexicon, least)) for least in (0.0, 0.5, 0.95, 1.0, 1.01)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == len(lexicon)
    assert counts[-1] == 0


def test_the_counts_give_the_precision(lexicon: Lexicon) -> None:
    for entry in lexicon.all_entries():
        drugs, words, names = (int(entry.columns[c]) for c in ("drugs", "words", "names"))
        assert drugs >= 1
        assert entry.columns["precision"] == f"{drugs / (drugs + words + names):.2f}"
