"""Attributes of several forms at once are those of each form, for all lists of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.feature import as_tuple
from caspipe.annotators.sequence.features.lexicon import InLexicon
from caspipe.annotators.sequence.form_attributes import FormAttributes, base
from caspipe.annotators.sequence.linear_model import LinearModel

MODEL = LinearModel.load("en-phi-crf")
KNOWN = [*"Smith MAY may Boston the O'Brien d' St Crohn NY ny José 12 İ ǅ".split(), "x" * 70, "\x00a"]
forms = st.lists(st.sampled_from(KNOWN) | st.text(max_size=80), unique=True, max_size=12)


def one_by_one(features: FeatureSet, form: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(base(f.label, v) for f in features.of_form for v in as_tuple(f.of(form))))


@given(forms)
def test_attributes_of_several_forms_are_those_of_each(some: list[str]) -> None:
    features: Any = MODEL.features
    assert features.bases_of(some) == [one_by_one(features, form) for form in some]


def test_a_list_of_the_same_name_as_one_of_the_pack_is_read(tmp_path: Path) -> None:
    own = tmp_path / "surnames.csv"
    own.write_text("term\nZorblatt\n", encoding="utf-8")
    feature = InLexicon(lexicon=Lexicon.load(str(own)))
    assert FormAttributes([feature]).bases(["Zorblatt", "Smith"]) == [("lexicon:surnames=X",), ()]
