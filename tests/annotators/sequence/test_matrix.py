"""The matrix for training has the same entries as attributes put through scikit-learn's DictVectorizer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction import DictVectorizer

from caspipe.annotators.sequence import matrix
from caspipe.annotators.sequence.extraction import Context, DocumentFeatures, FeatureSet
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.matrix import design_matrix

from .small_models import documents, features
from .test_scoring import FEATURES


def columns_of(of: FeatureSet, count: int) -> list[DocumentFeatures]:
    return [of.columns(Words(cas.view())) for cas in documents(count, 5)]


@pytest.mark.parametrize(("context", "window"), [("sentence", (-3, 3)), ("document", (-1, 2)), ("sentence", (0, 0))])
@pytest.mark.parametrize(
    "declared", [FEATURES, ["lower", "list"], ["sentence_position"]], ids=["many", "two", "values"]
)
def test_it_is_what_dict_vectorizer_makes(
    context: Context, window: tuple[int, int], declared: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "TOGETHER", 60)  # several turns
    of = FeatureSet(features(*declared), window, context)
    columns = columns_of(of, 12)
    made, names = design_matrix(of, columns)
    dicts = [a if isinstance(a, dict) else dict.fromkeys(a, 1.0) for c in columns for a in of.attributes(c)]
    vectorizer = DictVectorizer()
    expected = vectorizer.fit_transform(dicts)
    assert sorted(names) == sorted(vectorizer.feature_names_)
    place = {name: i for i, name in enumerate(names)}
    order = [place[name] for name in vectorizer.feature_names_]
    assert abs(made[:, order] - expected).max() == 0
    assert made.shape == expected.shape and made.nnz == expected.nnz


def test_rare_attributes_are_left_out() -> None:
    of = FeatureSet(features("lower", "sentence_position"))
    columns = columns_of(of, 10)
    whole, names = design_matrix(of, columns)
    fewer, kept = design_matrix(of, columns, 3)
    counts = dict(zip(names, np.bincount(whole.indices, minlength=len(names)), strict=True))
    assert set(kept) == {name for name, n in counts.items() if n >= 3} and len(kept) < len(names)
    assert fewer.shape == (whole.shape[0], len(kept))


def test_no_documents_and_empty_ones_give_an_empty_matrix() -> None:
    of = FeatureSet(features("lower", "sentence_position"))
    assert design_matrix(of, [])[0].shape[0] == 0
    empty = DocumentFeatures([], [], np.zeros((1, 0)), [], "sentence")
    assert design_matrix(of, [empty])[0].shape == (0, 0)
