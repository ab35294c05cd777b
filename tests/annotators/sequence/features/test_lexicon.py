"""Words of lexicons as features: how they are written, and what their columns say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.features.lexicon import InLexicon


def of(name: str, form: str, **given: Any) -> Any:
    return InLexicon(lexicon=Lexicon.load(name), **given).of(form)


def test_the_value_says_how_the_word_is_written() -> None:
    assert [of("surnames", form) for form in ("Smith", "SMITH", "smith", "J")] == ["X", "XX", "x", None]


def test_words_that_stand_in_no_entry_have_no_value() -> None:
    assert of("surnames", "xyzzyx") is None
    assert of("months", "3/4/2020", column="kind") is None


def test_a_column_of_words_is_told_as_it_stands() -> None:
    assert of("person_titles", "Dr", column="side") == ("Xbefore",)


def test_a_column_of_numbers_is_told_by_steps() -> None:
    rare, common = (of("surnames", form, column="share", steps=[0.01, 0.5]) for form in ("Steury", "Smith"))
    assert (rare, common) == ("X0", "X2")


def test_labels_tell_lists_and_columns_apart() -> None:
    features = [InLexicon(lexicon=Lexicon.load("surnames"), column=c) for c in ("", "share")]
    assert [f.label for f in features] == ["lexicon:surnames", "lexicon:surnames:share"]
    assert FeatureSet(features).bases("smith")[0] == "lexicon:surnames=x"


def test_a_list_of_ones_own_is_called_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "wards.txt"
    file.write_text("Birch\nElm\n", encoding="utf-8")
    feature = InLexicon(lexicon=Lexicon.load(str(file)))
    assert feature.label == "lexicon:wards"
    assert feature.of("Elm") == "X"
    assert feature.of("Oak") is None


def test_steps_must_ascend_and_need_a_column() -> None:
    lexicon = Lexicon.load("surnames")
    with pytest.raises(ValueError, match=r"^steps: expected a column with numbers$"):
        InLexicon(lexicon=lexicon, steps=[1.0])
    with pytest.raises(ValueError, match=r"^steps: expected ascending numbers, each once$"):
        InLexicon(lexicon=lexicon, column="share", steps=[1.0, 0.5])
