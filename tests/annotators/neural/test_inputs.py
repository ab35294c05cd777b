"""The arrays that documents become before a network reads them."""

from __future__ import annotations

import numpy as np
import pytest

from caspipe.annotators.neural import inputs
from caspipe.annotators.neural.inputs import Indexer, Vocabulary
from caspipe.annotators.sequence.extraction import DocumentFeatures, FeatureSet


def columns(*forms: str) -> DocumentFeatures:
    return DocumentFeatures(list(forms), [], np.zeros((0, len(forms))), [(0, len(forms))], "document")


def indexer() -> Indexer:
    return Indexer(FeatureSet([], (0, 0)), Vocabulary(["ab"]), Vocabulary(list("abc")), Vocabulary([]))


def test_documents_keep_their_characters_when_the_cache_of_forms_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_CACHED_FORMS", 2)
    made = indexer()
    documents = [
        made.index(columns(*forms), None) for forms in (("ab", "c", "ab"), ("b", "ca", "bb"), ("c", "a", "ab"))
    ]
    for document, expected in zip(documents, ([[2, 3], [4, 0], [2, 3]], [[3, 0], [4, 2], [3, 3]]), strict=False):
        batch = made.batch([(document, (0, 3))])
        assert batch.characters[batch.forms[0]].tolist() == expected
    several = made.batch([(d, (0, 3)) for d in documents])
    found = several.characters[several.forms]
    assert found[2].tolist() == [[4, 0], [2, 0], [2, 3]] and len(several.characters) == 6
    assert several.sizes[several.forms[0]].tolist() == [2, 1, 2]
