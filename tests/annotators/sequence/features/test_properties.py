"""What every feature promises, on any text: no error, short clean values, one for each token, the same each time."""

from __future__ import annotations

import dataclasses
import importlib
import math
import pickle
import unicodedata
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.sequence import features
from caspipe.annotators.sequence.feature import Feature, FormFeature, TokenFeature, ValueFeature, Words, as_tuple
from caspipe.annotators.sequence.features.cluster import Clusters
from caspipe.annotators.sequence.features.embedding import Vectors
from caspipe.annotators.sequence.features.form import FormLength
from caspipe.pipeline.contract import params
from caspipe.typesystem import (
    Cas,
    KnownPhi,
    ListHit,
    MedicalTerm,
    PhiCandidate,
    PhiKind,
    Sentence,
    TermGroup,
    Token,
)
from caspipe.typesystem.tokenize import token_spans

CLASSES = sorted(
    {
        cls
        for module in features.__all__
        for cls in vars(importlib.import_module(f"{features.__name__}.{module}")).values()
        if isinstance(cls, type) and issubclass(cls, Feature) and cls.name
    },
    key=lambda cls: cls.name,
)
FILES: dict[str, dict[str, Any]] = {
    "cluster": {"file": Clusters({"a": "0101", "b": "11"}, True, "clusters.txt")},
    "lexicon": {"lexicon": Lexicon.load("months")},
    "gazetteer": {"lexicon": Lexicon.load("person_titles")},
    "temporal": {name: Lexicon.load(name) for name in ("months", "weekdays", "holidays")}
    | {"words": Lexicon.load("temporal_words")},
    **{
        name: {"lexicon": Lexicon.load("wordnet_senses")} for name in ("supersense", "hypernym", "lemma", "sense_count")
    },
    "ehr": {"parts": "all"},
    "embedding": {"file": Vectors({"a": 0, "B": 1}, np.array([[1, -1], [2, -3]], np.float32), "vectors.txt")},
}
NAMES = """
token lower capital_type numeric_type hyphen suffix2 suffix3 suffix4 suffix prefix prefix2 prefix3 prefix4 char_pattern shape
short_shape length has_xyz pos pos_bigram list term sentence_position document_position sentence_in_document
sentence_position_bin document_position_bin sentence_in_document_bin neighbours cluster embedding line_head field elsewhere
line_position blank_before brackets quoted known_phi candidate regex_class lexicon
ehr morphology supersense hypernym lemma sense_count temporal gazetteer regex word_class
"""

KINDS = st.sampled_from(
    [PhiKind.PERSON, PhiKind.PERSON_PATIENT, PhiKind.PERSON_RELATIVE, PhiKind.PHONE, PhiKind.LOCATION]
)
CHARACTERS = st.one_of(
    st.characters(codec=None, exclude_categories=()),
    st.sampled_from(" \n\r\t:.@/-+()[]_*\"'“”aAbBXxZ01239éÉ\u0301\u200b\u200d\ufeff\ud83d\u2028\x00"),
)
TEXTS = st.text(CHARACTERS, max_size=80)
FORMS = st.one_of(st.text(CHARACTERS, max_size=12), st.text(CHARACTERS, min_size=60, max_size=140))


def made(cls: type[Feature]) -> Any:
    return cls(**FILES.get(cls.name, {}))


FEATURES = [made(cls) for cls in CLASSES]
OF_FORM = [f for f in FEATURES if isinstance(f, FormFeature)]
OF_TOKEN = [f for f in FEATURES if isinstance(f, TokenFeature)]
OF_VALUE = [f for f in FEATURES if isinstance(f, ValueFeature)]


@st.composite
def documents(draw: st.DrawFn) -> Words:
    text = draw(TEXTS)
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    view.add_all(Sentence(b, e) for b, e in pairwise(cuts))
    view.add_all(ListHit(b, e, list=draw(TEXTS)) for b, e in draw(st.lists(spans, max_size=3)))
    groups = st.sampled_from(list(TermGroup))
    view.add_all(MedicalTerm(b, e, group=draw(groups)) for b, e in draw(st.lists(spans, max_size=3)))
    view.add_all(PhiCandidate(b, e, kind=PhiKind.DATE) for b, e in draw(st.lists(spans, max_size=3)))
    view.add_all(KnownPhi(kind=draw(KINDS), value=draw(TEXTS)) for _ in range(draw(st.integers(0, 2))))
    return Words(view)


def is_clean(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= 64
        and not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in value)
        and value.encode("utf-8").decode("utf-8") == value
    )


def test_the_features_are_those_that_the_documentation_names() -> None:
    assert [cls.name for cls in CLASSES] == sorted(NAMES.split())


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_every_feature_says_what_it_is_and_where_it_comes_from(cls: type[Feature]) -> None:
    paragraphs = (cls.__doc__ or "").split("\n\n")
    assert len(paragraphs) == 3 and paragraphs[1].strip().startswith("Example: ")
    assert paragraphs[2].strip().startswith("Source: ")
    assert all(p.doc for p in params.parameters(cls))
    assert len({issubclass(cls, sort) for sort in (FormFeature, TokenFeature, ValueFeature)}) == 2


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_labels_are_names_and_features_can_be_pickled(cls: type[Feature]) -> None:
    feature = made(cls)
    assert feature.label.startswith(cls.name)
    assert "=" not in feature.label and feature.label == feature.label.strip()
    assert pickle.loads(pickle.dumps(feature)).label == feature.label
    if cls.argument:
        assert cls.argument in {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]  # made by @part


@given(FORMS)
def test_forms_give_clean_values_the_same_each_time(form: str) -> None:
    for feature in OF_FORM:
        values = as_tuple(feature.of(form))
        assert all(map(is_clean, values)), feature.name
        assert len(set(values)) == len(values), feature.name
        assert as_tuple(feature.of(form)) == values, feature.name


@given(st.text(CHARACTERS, max_size=12))
def test_canonically_equivalent_forms_give_equal_values(form: str) -> None:
    one, other = unicodedata.normalize("NFC", form), unicodedata.normalize("NFD", form)
    for feature in OF_FORM:
        if not isinstance(feature, FormLength):
            assert as_tuple(feature.of(one)) == as_tuple(feature.of(other)), feature.name


@given(documents())
def test_columns_hold_one_clean_entry_for_each_token_the_same_each_time(words: Words) -> None:
    before = list(words.view)
    for feature in OF_TOKEN:
        column = list(feature.column(words))
        assert len(column) == len(words), feature.name
        for entry in column:
            assert entry is None or isinstance(entry, str | tuple), feature.name
            assert all(map(is_clean, as_tuple(entry))), feature.name
        assert list(feature.column(words)) == column, feature.name
    assert list(words.view) == before


@given(documents())
def test_positions_are_numbers_from_0_to_1(words: Words) -> None:
    for feature in OF_VALUE:
        column = feature.column(words)
        assert len(column) == len(words), feature.name
        assert all(math.isfinite(x) and 0 <= x <= 1 for x in column), feature.name


@pytest.mark.slow
@pytest.mark.parametrize("feature", OF_TOKEN, ids=lambda f: f.name)
def test_a_long_line_is_no_trouble(feature: TokenFeature) -> None:
    text = "a: (b “c” 1.2.2020 12:30 x@y.org, " * 3_000
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    view.add(PhiCandidate(0, len(text), kind=PhiKind.DATE))
    words = Words(view)
    assert len(feature.column(words)) == len(words)
