"""What WordNet says of a form, and how many of its senses are counted."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.sequence.features.wordnet import Hypernym, Lemma, SenseCount, Supersense

WORDNET: Any = Lexicon.load("wordnet_senses")


def test_supersenses_are_the_lexicographer_files_of_all_senses() -> None:
    feature = Supersense(lexicon=WORDNET)
    assert feature.of("Boston") == ("noun.location",)
    assert feature.of("nurses")[:2] == ("noun.person", "verb.body")
    assert Supersense(lexicon=WORDNET, most=1).of("nurses") == ("noun.person",)
    assert [feature.of(form) for form in ("Qorvane", "12", "", "-", "s")] == [(), (), (), (), feature.of("s")]


@pytest.mark.parametrize(
    ("form", "classes"),
    [
        ("Monday", {"weekday", "time_period"}),
        ("March", {"month"}),
        ("cardiologist", {"health_professional", "person"}),
        ("France", {"country", "location"}),
        ("Christmas", {"holiday"}),
        ("grandmother", {"relative"}),
        ("hospitals", {"medical_building"}),
        ("diabetes", {"disease"}),
        ("table", set()),
    ],
)
def test_hypernyms_are_classes_above_a_sense(form: str, classes: set[str]) -> None:
    found = set(Hypernym(lexicon=WORDNET).of(form))
    assert classes <= found
    assert "country" not in found or "country" in classes


@pytest.mark.parametrize(
    ("form", "lemmas"),
    [
        ("mice", ("mouse",)),
        ("left", ("left", "leave")),
        ("Ran", ("run",)),
        ("boxes", ("box",)),
        ("women", ("woman",)),
        ("biopsies", ("biopsy",)),
        ("coughing", ("coughing",)),
        ("aspirin", ("aspirin",)),
        ("Smithson", ()),
        ("zs", ()),
    ],
)
def test_lemmas_are_base_forms_that_wordnet_knows(form: str, lemmas: tuple[str, ...]) -> None:
    assert Lemma(lexicon=WORDNET).of(form) == lemmas


def test_senses_are_counted_in_classes_and_only_for_words() -> None:
    feature = SenseCount(lexicon=WORDNET)
    assert [feature.of(form) for form in ("aspirin", "left", "Qorvane", "12", "-")] == ["1", "4", "0", None, None]
    assert SenseCount(lexicon=WORDNET, steps=[10]).of("left") == "1"


def test_parameters_are_checked_and_show_in_labels() -> None:
    with pytest.raises(ValueError, match=r"^most: expected 0 or more, got -1$"):
        Supersense(lexicon=WORDNET, most=-1)
    for steps in ([], [0, 2], [3, 3], [4, 2]):
        with pytest.raises(ValueError, match=r"^steps: expected ascending whole numbers of at least 1$"):
            SenseCount(lexicon=WORDNET, steps=steps)
    assert [Supersense(most=3).label, SenseCount(steps=[2]).label] == ["supersense:3", "sense_count:2"]
    assert [Hypernym().label, Hypernym(lexicon=WORDNET).label] == ["hypernym", "hypernym"]
